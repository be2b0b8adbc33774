/* Where each field of a record is: compiled programs rely on it. */
#include <roast.h>
#include <stdio.h>

int main(void)
{
#define ROAST_RECORD(record, help)
#define ROAST_FIELD(record, kind, name, key, base, column, detail, shown, help)                                        \
    printf("roast_" #record "." #name " %zu\n", offsetof(roast_##record, name));
#define ROAST_LIST(record, type, name, help)                                                                           \
    printf("roast_" #record "." #name " %zu\n", offsetof(roast_##record, name));                                       \
    printf("roast_" #record ".n_" #name " %zu\n", offsetof(roast_##record, n_##name));
#define ROAST_RECORD_END(record)
#include <roast_records.def>
    return 0;
}
