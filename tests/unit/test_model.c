/* What records mean, on records of a few numbers each. The expected values are sums that a person can check. */
#include <math.h>

#include "model/branch_set.h"
#include "model/chunk_value.h"
#include "model/facts.h"
#include "unit.h"

static roast_chunk a_chunk(void)
{
    roast_chunk chunk = roast_chunk_none();
    chunk.dataset = STR("data"), chunk.file = STR("a.root"), chunk.treename = STR("Events");
    chunk.entry_start = 0, chunk.entry_stop = 1000, chunk.round = 1;
    chunk.t_start_ns = 5000000000;
    chunk.open_ns = 1000000000, chunk.events_ns = 2000000000, chunk.duration_ns = 4000000000;
    chunk.return_ns = 8000000000, chunk.cpu_ns = 3000000000;
    chunk.rss_before = 100 << 20, chunk.rss_after = 130 << 20;
    return chunk;
}

static void a_chunk_is_busy_in_each_of_its_four_phases(void **state)
{
    (void)state;
    roast_chunk chunk = a_chunk();
    assert_int_equal(chunk_busy_ns(&chunk), 15000000000);
    chunk.return_ns = ROAST_ABSENT;
    assert_int_equal(chunk_busy_ns(&chunk), 7000000000);
}

static void an_error_by_type_or_by_text_is_a_failure(void **state)
{
    (void)state;
    roast_chunk chunk = a_chunk();
    assert_false(chunk_failed(&chunk));
    chunk.error_type = STR("OSError");
    assert_true(chunk_failed(&chunk));
    chunk.error_type = str_none();
    chunk.error = STR("no such file");
    assert_true(chunk_failed(&chunk));
}

static void a_server_is_scheme_host_and_the_port_that_is_named(void **state)
{
    (void)state;
    static const char *const servers[][2] = {
        {"root://eos.cern.ch//store/a.root", "root://eos.cern.ch"},
        {"root://eos.cern.ch:1094//store/a.root", "root://eos.cern.ch:1094"},
        {"https://site:8443/a.root", "https://site:8443"},
        {"http://[::1]:80/a.root", "http://[::1]:80"},
        {"simplecache::root://eos.cern.ch//a.root", "root://eos.cern.ch"},
        {"root://eos.cern.ch", "root://eos.cern.ch"},
        {"/data/1/a.root", "local files"},
        {"file:///data/1/a.root", "local files"},
        {"a.root", "local files"},
        {"", "local files"},
    };
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++)
        assert_true(str_equal(file_server(str_from(servers[i][0])), str_from(servers[i][1])));
    assert_true(str_equal(file_server(str_none()), STR("local files")));
}

static void a_chunk_is_known_by_file_tree_dataset_entries_and_round(void **state)
{
    (void)state;
    roast_chunk first = a_chunk(), again = a_chunk();
    again.attempt = 2;
    again.worker = STR("elsewhere");
    assert_int_equal(chunk_identity(&first), chunk_identity(&again));
    roast_chunk others[] = {first, first, first, first, first, first};
    others[0].file = STR("b.root");
    others[1].treename = STR("Runs");
    others[2].dataset = STR("simulation");
    others[3].entry_start = 1;
    others[4].entry_stop = 999;
    others[5].round = 2;
    for (size_t i = 0; i < 6; i++)
        assert_int_not_equal(chunk_identity(&first), chunk_identity(&others[i]));
}

static void a_worker_is_on_the_host_it_names_else_on_that_of_its_address(void **state)
{
    (void)state;
    roast_worker worker = roast_worker_none();
    worker.address = STR("tcp://10.0.0.7:34567");
    assert_true(str_equal(worker_host(&worker), STR("10.0.0.7")));
    worker.host = STR("node7");
    assert_true(str_equal(worker_host(&worker), STR("node7")));
    worker.host = str_none();
    worker.address = STR("process 12");
    assert_true(str_equal(worker_host(&worker), STR("process 12")));
}

static void a_worker_is_called_by_its_address_without_the_scheme(void **state)
{
    (void)state;
    assert_true(str_equal(without_scheme(STR("tcp://10.0.0.7:34567")), STR("10.0.0.7:34567")));
    assert_true(str_equal(without_scheme(STR("process 12")), STR("process 12")));
    assert_true(str_equal(without_scheme(STR("tcp://")), STR("tcp://")));
    assert_true(str_absent(without_scheme(str_none())));
}

static void a_clock_that_is_ahead_is_set_back(void **state)
{
    (void)state;
    roast_worker worker = roast_worker_none();
    assert_int_equal(to_client_clock(&worker, 1000), 1000);
    worker.clock_offset_ns = 300;
    assert_int_equal(to_client_clock(&worker, 1000), 700);
    assert_int_equal(to_client_clock(&worker, ROAST_ABSENT), ROAST_ABSENT);
}

static void assert_near(double value, double expected, double tolerance)
{
    assert_true(fabs(value - expected) <= tolerance);
}

static double real_of(const roast_chunk *chunk, metric_id metric)
{
    roast_value value = chunk_value(chunk, metric);
    return value.kind == ROAST_REAL ? value.as.real : (double)NAN;
}

static void what_is_made_of_two_fields_is_their_sum_or_difference(void **state)
{
    (void)state;
    roast_chunk chunk = a_chunk();
    assert_near(real_of(&chunk, M_chunk_t_end), 9, 1e-9);
    assert_near(real_of(&chunk, M_chunk_noncpu_seconds), 1, 1e-9);
    assert_near(real_of(&chunk, M_chunk_mem_delta_mb), 30, 1e-9);
    assert_near(real_of(&chunk, M_chunk_memory_delta_gb), 0.03145728, 1e-9);
    chunk.cpu_ns = ROAST_ABSENT;
    assert_int_equal(chunk_value(&chunk, M_chunk_noncpu_seconds).kind, ROAST_NOTHING);
}

static void a_set_of_branches_has_one_hash_in_any_order(void **state)
{
    (void)state;
    roast_str names[] = {STR("Jet_pt"), STR("Jet_eta"), STR("MET")}, turned[] = {names[2], names[0], names[1]};
    assert_int_equal(branch_set_hash(names, 3), branch_set_hash(turned, 3));
    assert_int_not_equal(branch_set_hash(names, 3), branch_set_hash(names, 2));
    assert_int_not_equal(branch_set_hash(names, 2), branch_set_hash(turned, 2));
    assert_int_not_equal(branch_set_hash(NULL, 0), 0);
}

static void a_set_is_sorted_and_has_each_name_once(void **state)
{
    (void)state;
    roast_str names[] = {STR("b"), STR("a"), STR("b"), STR("a"), STR("c")};
    assert_int_equal(branch_set_sort(names, 5), 3);
    assert_true(str_equal(names[0], STR("a")) && str_equal(names[1], STR("b")) && str_equal(names[2], STR("c")));
}

static void a_branch_belongs_to_what_its_name_begins_with(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"Jet_pt", "Jet"},
        {"Jet", "Jet"},
        {"_Jet_pt", "Jet"},
        {"AnalysisJetsAuxDyn.pt", "AnalysisJets"},
        {"AnalysisJetsAux.pt", "AnalysisJets"},
        {"Muons/Muons.fCharge", "Muons"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!str_equal(branch_collection(str_from(pairs[i][0])), str_from(pairs[i][1])))
            fail_msg("%s does not belong to %s", pairs[i][0], pairs[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chunk_is_busy_in_each_of_its_four_phases),
        cmocka_unit_test(an_error_by_type_or_by_text_is_a_failure),
        cmocka_unit_test(a_server_is_scheme_host_and_the_port_that_is_named),
        cmocka_unit_test(a_chunk_is_known_by_file_tree_dataset_entries_and_round),
        cmocka_unit_test(a_worker_is_on_the_host_it_names_else_on_that_of_its_address),
        cmocka_unit_test(a_worker_is_called_by_its_address_without_the_scheme),
        cmocka_unit_test(a_clock_that_is_ahead_is_set_back),
        cmocka_unit_test(what_is_made_of_two_fields_is_their_sum_or_difference),
        cmocka_unit_test(a_set_of_branches_has_one_hash_in_any_order),
        cmocka_unit_test(a_set_is_sorted_and_has_each_name_once),
        cmocka_unit_test(a_branch_belongs_to_what_its_name_begins_with),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
