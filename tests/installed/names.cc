// A C++ program that has functions of its own called like some inside the library: each keeps its own.
#include <roast.h>

#include <cstdio>
#include <cstring>

extern "C" {
int fail() { return 1; }
int ratio() { return 2; }
int buf_release() { return 3; }
int run_names() { return 4; }
}

int main(int argc, char **argv)
{
    roast_run *run = nullptr;
    roast_error err = {};
    if (argc != 2 || roast_run_load(&run, argv[1], nullptr, &err) != ROAST_OK) {
        std::fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    roast_str name = roast_run_name(run);
    std::printf("%d %.*s\n", fail() + ratio() + buf_release() + run_names(), static_cast<int>(name.len), name.ptr);
    roast_run_close(run);
    return std::strcmp(roast_code_text(ROAST_OK), "success");
}
