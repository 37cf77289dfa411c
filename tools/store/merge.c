#include "tools/store/merge.h"

#include <unistd.h>

#include "tools/lib/output.h"
#include "tools/store/schema.h"
#include "tools/store/statistics.h"

/* Rows are the same where their names are: hashes, keys. Numbers of rows are those of each database. Of a run that is
 * in both, detail is copied that is missing here: bits of enum store_detail, 1 for statistics of launches, 2 for
 * stalls. */
static const char copy[] =
    "INSERT OR IGNORE INTO tool (version, timing) SELECT version, timing FROM other.tool ORDER BY id;"
    "INSERT OR IGNORE INTO trace (sha256, file, bytes, warp_instructions, damage)"
    "  SELECT sha256, file, bytes, warp_instructions, damage FROM other.trace ORDER BY id;"
    "INSERT OR IGNORE INTO launch SELECT t.id, l.launch, l.kernel, l.grid, l.block, l.warp_instructions,"
    "  l.thread_instructions FROM other.launch l JOIN other.trace o ON o.id = l.trace"
    "  JOIN trace t ON t.sha256 = o.sha256;"
    "INSERT OR IGNORE INTO instruction (trace, kernel, number, name, pc, text, file, line)"
    "  SELECT t.id, i.kernel, i.number, i.name, i.pc, i.text, i.file, i.line FROM other.instruction i"
    "  JOIN other.trace o ON o.id = i.trace JOIN trace t ON t.sha256 = o.sha256 ORDER BY i.id;"
    "INSERT OR IGNORE INTO machine (hash, name) SELECT hash, name FROM other.machine ORDER BY id;"
    "INSERT OR IGNORE INTO option (key) SELECT key FROM other.option ORDER BY id;"
    "UPDATE option SET varied = o.varied + (SELECT max(varied) FROM option) FROM other.option o"
    "  WHERE o.key = option.key AND o.varied AND NOT option.varied;"
    "INSERT OR IGNORE INTO machine_option SELECT m.id, n.id, v.value FROM other.machine_option v"
    "  JOIN other.machine a ON a.id = v.machine JOIN machine m ON m.hash = a.hash"
    "  JOIN other.option b ON b.id = v.option JOIN option n ON n.key = b.key;"
    "UPDATE machine_option SET value = v.value FROM other.machine_option v JOIN other.machine a ON a.id = v.machine"
    "  JOIN machine m ON m.hash = a.hash JOIN other.option b ON b.id = v.option JOIN option n ON n.key = b.key"
    "  WHERE b.key = '" STORE_AREA "' AND machine_option.machine = m.id AND machine_option.option = n.id;"
    "INSERT OR REPLACE INTO refusal SELECT t.id, r.machine, r.settings, r.reason FROM other.refusal r"
    "  JOIN other.tool o ON o.id = r.tool JOIN tool t ON t.version = o.version AND t.timing = o.timing;"
    "INSERT OR IGNORE INTO statistic (name) SELECT name FROM other.statistic ORDER BY id;"
    "CREATE TEMP TABLE fresh AS SELECT key FROM other.run EXCEPT SELECT key FROM run;"
    "INSERT INTO run (key, trace, machine, tool, engine, launch, seed, status, reason, ipc, occupancy, warnings, "
    "detail,"
    "  seconds, finished, method, replayed, batches) SELECT r.key, t.id, m.id, p.id, r.engine, r.launch, r.seed, "
    "r.status, r.reason, r.ipc,"
    "  r.occupancy, r.warnings, r.detail, r.seconds, r.finished, r.method, r.replayed, r.batches FROM other.run r"
    "  JOIN other.trace a ON a.id = r.trace JOIN trace t ON t.sha256 = a.sha256"
    "  JOIN other.machine b ON b.id = r.machine JOIN machine m ON m.hash = b.hash"
    "  JOIN other.tool c ON c.id = r.tool JOIN tool p ON p.version = c.version AND p.timing = c.timing"
    "  WHERE r.key IN (SELECT key FROM fresh) ORDER BY r.id;"
    "CREATE TEMP TABLE moved AS SELECT o.id AS old, r.id AS id, o.key IN (SELECT key FROM fresh) AS fresh,"
    "  CASE WHEN o.key IN (SELECT key FROM fresh) THEN o.detail ELSE o.detail & ~r.detail END AS detail"
    "  FROM other.run o JOIN run r ON r.key = o.key;"
    "UPDATE run SET detail = run.detail | m.detail FROM moved m WHERE m.id = run.id AND m.detail;"
    "CREATE TEMP TABLE renamed AS SELECT o.id AS old, s.id AS id FROM other.statistic o JOIN statistic s"
    "  ON s.name = o.name;"
    "INSERT INTO value SELECT m.id, n.id, v.value FROM other.value v JOIN moved m ON m.old = v.run AND m.fresh"
    "  JOIN renamed n ON n.old = v.statistic;"
    "INSERT INTO run_launch SELECT m.id, l.launch, l.begin, l.end, l.overlaps, l.warning, l.source, l.half_width"
    "  FROM other.run_launch l JOIN moved m ON m.old = l.run AND m.fresh;"
    "INSERT INTO estimate SELECT m.id, n.id, e.mean, e.half_width, e.deviation FROM other.estimate e"
    "  JOIN moved m ON m.old = e.run AND m.fresh JOIN renamed n ON n.old = e.statistic;"
    "INSERT INTO launch_value SELECT m.id, v.launch, n.id, v.value FROM other.launch_value v"
    "  JOIN moved m ON m.old = v.run AND m.detail & 1 JOIN renamed n ON n.old = v.statistic;"
    "INSERT INTO stall SELECT m.id, i.id, s.reason, s.cycles FROM other.stall s"
    "  JOIN moved m ON m.old = s.run AND m.detail & 2"
    "  JOIN other.instruction a ON a.id = s.instruction JOIN other.trace o ON o.id = a.trace"
    "  JOIN trace t ON t.sha256 = o.sha256"
    "  JOIN instruction i ON i.trace = t.id AND i.kernel = a.kernel AND i.number = a.number;"
    "DROP TABLE fresh; DROP TABLE moved; DROP TABLE renamed;";

bool store_check(const char *path, unsigned wait, struct rp_error *err)
{
    struct store other;
    if (store_is_bare(path, wait))
        return true;
    if (!store_open_read(&other, path, wait, err))
        return false;
    bool fine = store_check_whole(&other, err);
    store_close(&other);
    return fine;
}

bool store_merge(struct store *s, const char *path, struct rp_error *err)
{
    if (output_same_file(s->sql.path, path)) /* it would wait for itself */
        return true;
    if (store_is_bare(path, s->sql.wait)) /* has nothing to add */
        return true;
    char *name = sql_file_name(path);
    bool attached = (name || rp_fail(err, RP_SYSTEM, "out of memory")) && store_check(path, s->sql.wait, err) &&
                    sql_run(&s->sql, "ATTACH ? AS other", err, "t", name);
    sqlite3_free(name);
    if (!attached)
        return false;
    bool fine = store_begin(s, err) && sql_script(&s->sql, copy, err) && schema_make_view(&s->sql, err) &&
                statistics_load(s, err) && store_commit(s, err);
    if (!fine)
        store_rollback(s);
    struct rp_error unused;
    sql_run(&s->sql, "DETACH other", fine ? err : &unused, "");
    return fine;
}
