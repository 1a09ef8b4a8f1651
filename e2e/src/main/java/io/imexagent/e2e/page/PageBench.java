package io.imexagent.e2e.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.e2e.bench.Samples;
import io.imexagent.testing.api.object.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Measures the page over many nodes: the controller's side, and what a reader waits for in the browser. */
public final class PageBench {

    private static final int LOADS = 5;
    private static final Duration CHANGED = Duration.ofSeconds(3);
    private static final String DRAWN = "document.querySelectorAll('.rack').length === ";

    private PageBench() {}

    public static ObjectNode measure(int racks) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("page-bench");
        try (var world = new PageWorld(folder, shown -> {
                    for (int rack = 0; rack < racks; rack++) {
                        shown.add(rack, 2);
                    }
                });
                var browser = new Browser(folder.resolve("profile"))) {
            world.controller()
                    .awaitTrue(
                            "the racks",
                            () -> world.client().page("/racks.json").statusCode() == 200);
            var made = new Samples();
            var kept = new Samples();
            for (int load = 0; load < LOADS; load++) {
                world.racks().change(load, 0, node -> node.withObject("/status").put("gpus", 3));
                // The controller makes it at most every other second.
                Thread.sleep(CHANGED);
                made.add(ask(world));
                kept.add(ask(world));
            }
            var paints = new Samples();
            var drawn = new Samples();
            for (int load = 0; load < LOADS; load++) {
                browser.open("about:blank");
                // The page itself says when its last rack is there: asking it again and again would slow it down.
                browser.onEachPage("new MutationObserver(() => { if (!window.drawnAt && " + DRAWN + racks
                        + ") requestAnimationFrame(() => setTimeout(() => { window.drawnAt = performance.now(); })); })"
                        + ".observe(document, {childList: true, subtree: true})");
                browser.open(world.page());
                browser.await("all racks", "window.drawnAt");
                paints.addFigure(browser.evaluate("performance.getEntriesByName('first-paint')[0].startTime")
                        .asDouble());
                drawn.addFigure(browser.evaluate("window.drawnAt").asDouble());
            }
            browser.evaluate("window.t = 0; new MutationObserver(() => { window.t = performance.now(); })"
                    + ".observe(document.querySelector('#alerts'), {childList: true})");
            world.racks().fail(racks / 2, 3);
            browser.await("a change", "window.t");
            double handled = browser.evaluate("(() => { const all = performance.getEntriesByType('resource')"
                            + ".filter(one => one.name.endsWith('racks.json') && one.responseEnd < window.t);"
                            + " return window.t - all[all.length - 1].responseEnd; })()")
                    .asDouble();
            int document = world.client().page("/racks.json").body().length();
            JsonNode transferred = browser.evaluate(
                    "Math.max(...performance.getEntriesByType('resource').map(one => one.encodedBodySize))");
            JsonNode heap = browser.evaluate("performance.memory.usedJSHeapSize");
            return Json.object()
                    .put("nodes", racks * ShownRacks.NODES)
                    .put("document_kb", document / 1000)
                    .put("transferred_kb", Math.round(transferred.asDouble() / 1000))
                    .put("document_made_ms", Samples.rounded(made.median()))
                    .put("document_kept_ms", Samples.rounded(kept.median()))
                    .put("first_paint_ms", Samples.rounded(paints.median()))
                    .put("all_racks_drawn_ms", Samples.rounded(drawn.median()))
                    .put("refresh_of_one_rack_ms", Samples.rounded(handled))
                    .put("browser_heap_mb", Math.round(heap.asDouble() / 1e6))
                    .put("controller_rss_mb", world.controller().usage().residentKb() / 1024);
        }
    }

    private static long ask(PageWorld world) throws IOException {
        long begun = System.nanoTime();
        world.client().page("/racks.json");
        return System.nanoTime() - begun;
    }
}
