package io.imexagent.e2e.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page of the racks in Debian's Chromium, over the controller as a process. */
class PageE2e {

    /** Makes the page look again at once: a test of something else need not wait for its pace. */
    private static final String FOCUSED =
            "document.activeElement.tagName + ' ' + (document.activeElement.getAttribute('aria-label')"
                    + " || document.activeElement.textContent)";

    private static final String LOOK = "document.dispatchEvent(new Event('visibilitychange')) && ";

    private static final String HOSTILE = "</td><img src=x onerror=window.hacked=1><script>window.hacked=2</script>";

    /** The controller lists the Nodes for the first page that it gives, which may not have them yet. */
    private static final String NODES_LISTED = "!document.querySelector('.list').textContent.includes('Unknown')";

    @TempDir
    private static Path profile;

    private static PageReader browser;

    @TempDir
    private Path folder;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        browser = new PageReader(profile);
    }

    @AfterAll
    static void stop() {
        browser.close();
    }

    /** A page that stayed open would miss its controller, and say so in the next test. */
    @AfterEach
    void leave() throws IOException, InterruptedException {
        browser.open("about:blank");
        browser.takeErrors();
    }

    @Test
    void showsARackWithItsNodesConnectionsChannelsAndWorkloads() throws Exception {
        try (var world = world(racks -> {
            racks.add(0, 2);
            racks.mismatch(0, 2, 5);
        })) {
            browser.takeRequests();
            browser.open(world.page());
            browser.await("the rack", "document.querySelector('.heat') && " + NODES_LISTED);

            assertThat(browser.takeRequests())
                    .filteredOn(address -> !address.startsWith("data:"))
                    .as("all that the page fetches is the controller's")
                    .contains(world.page(), world.page() + ".json")
                    .allMatch(address -> address.startsWith(world.page()));
            assertThat(text("h1")).isEqualTo("NVLink racks");
            assertThat(texts("#totals dt")).startsWith("Racks|Nodes|GPUs|Channels used|Workloads|Alerts");
            assertThat(texts("#totals dd")).startsWith("1|1816 up|72|2of 127|2|");
            assertThat(text(".rack h3")).isEqualTo(ShownRacks.name(0));
            assertThat(text(".rack .clique")).isEqualTo(ShownRacks.clique(0));
            assertThat(text("#verdict")).isEqualTo("✕1 rack: 1 critical");
            assertThat(texts(".list:first-of-type tbody tr:nth-child(3) > *"))
                    .startsWith("rack000-tray-03|Ready|4|580.95.05|✕version-mismatch|");
            assertThat(evaluate("document.querySelector('time').dateTime").asText())
                    .isEqualTo("2026-11-20T08:00:00Z");
            assertThat(evaluate("document.querySelectorAll('.heat td[data-s]').length")
                            .asInt())
                    .isEqualTo(18 * 18);
            assertThat(states("C")).isEqualTo(18 * 17 - 2);
            assertThat(states("D")).isEqualTo(2);
            assertThat(evaluate("document.querySelector('.heat [data-s=D]').getAttribute('aria-label')")
                            .asText())
                    .isEqualTo("rack000-tray-03 to rack000-tray-06: degraded");
            assertThat(texts(".wide .list tbody tr"))
                    .contains("team-a/training-0-01boundrack000-tray-01, rack000-tray-02");
            assertThat(text("#alerts"))
                    .contains(
                            "Critical: " + ShownRacks.name(0) + ": the driver differs: 580.95.05 on",
                            "; and 1 connection degraded, 2 nodes version-mismatch");
            assertThat(browser.takeErrors())
                    .filteredOn(error -> !error.contains("503"))
                    .isEmpty();
        }
    }

    @Test
    void isUsedByKeyboard() throws Exception {
        try (var world = world(PageE2e::threeRacksOneOfThemBroken)) {
            browser.open(world.page());
            browser.await("the racks", "document.querySelectorAll('.rack').length === 3");
            evaluate("document.querySelector('#close').focus()");

            browser.press("Tab");
            assertThat(focused()).startsWith("SUMMARY").contains(ShownRacks.clique(1));
            browser.press("Enter");
            browser.await("the sick rack to be open, which is the first", "document.querySelectorAll('.rack')[0].open");
            browser.await("its matrix", "document.querySelector('.heat')");
            for (int i = 0; i < 9 + ShownRacks.NODES && !focused().startsWith("TD"); i++) {
                browser.press("Tab");
            }
            assertThat(focused()).isEqualTo("TD rack001-tray-01: the node itself");
            browser.press("ArrowRight");
            browser.press("ArrowRight");
            browser.press("ArrowRight");
            assertThat(focused()).isEqualTo("TD rack001-tray-01 to rack001-tray-04: lost");
            assertThat(text(".detail")).isEqualTo("rack001-tray-01 to rack001-tray-04: lost; back: unknown");
            browser.press("ArrowDown");
            assertThat(focused()).isEqualTo("TD rack001-tray-02 to rack001-tray-04: lost");
            browser.press("End");
            assertThat(focused()).isEqualTo("TD rack001-tray-02 to rack001-tray-18: connected");
            browser.pressWithControl("Home");
            browser.press("ArrowUp");
            browser.press("ArrowLeft");
            assertThat(focused()).isEqualTo("TD rack001-tray-01: the node itself");
            browser.pressWithControl("End");
            assertThat(focused()).isEqualTo("TD rack001-tray-18: the node itself");
            assertThat(evaluate("document.querySelectorAll('.heat [tabindex=\"0\"]').length")
                            .asInt())
                    .isOne();
            browser.press("Tab");
            assertThat(focused()).startsWith("SUMMARY").contains(ShownRacks.clique(0));
        }
    }

    @Test
    void skipsFollowsAlertsFindsShowsOpensAndClosesByKeyboard() throws Exception {
        try (var world = world(PageE2e::threeRacksOneOfThemBroken)) {
            browser.open(world.page());
            browser.await("the racks", "document.querySelectorAll('.rack').length === 3");

            browser.press("Tab");
            assertThat(focused()).isEqualTo("A Skip to the racks");
            browser.press("Enter");
            browser.await("the racks to be next", "document.activeElement.id === 'racks'");
            evaluate("document.querySelector('.skip').focus()");
            browser.press("Tab");
            assertThat(focused()).isEqualTo("A " + ShownRacks.name(1));
            browser.press("Enter");
            browser.await("the rack of the alert", "document.querySelectorAll('.rack')[0].open");
            assertThat(focused()).startsWith("SUMMARY").contains(ShownRacks.clique(1));

            evaluate("document.querySelector('#find').focus()");
            browser.write(ShownRacks.node(2, 7));
            assertThat(text("#shown")).isEqualTo("1 of 3 shown");
            browser.press("Escape");
            assertThat(text("#shown")).isEmpty();
            browser.press("Tab");
            assertThat(focused()).startsWith("SELECT");
            browser.press("ArrowDown");
            assertThat(text("#shown")).isEqualTo("1 of 3 shown");
            browser.press("ArrowUp");
            browser.press("Tab");
            assertThat(focused()).isEqualTo("BUTTON Open all shown");
            browser.press("Enter");
            browser.await("all to be open", "document.querySelectorAll('.heat').length === 3");
            browser.press("Tab");
            assertThat(focused()).isEqualTo("BUTTON Close all");
            browser.press("Enter");
            browser.await("all to be closed", "!document.querySelector('.heat')");
            evaluate("document.querySelector('#alerts a').focus()");
            browser.press("Enter");
            browser.await("the rack of the alert once more", "document.querySelectorAll('.rack')[0].open");
        }
    }

    @Test
    void theDrawerOfANodeOpensAndClosesByKeyboardAndKeepsTheFocus() throws Exception {
        try (var world = world(racks -> {
            racks.add(0, 1);
            racks.add(1, 1);
            racks.report(
                    1,
                    4,
                    report -> report.put("findings", "critical:gpu-lost warning:fabric-limited")
                            .put("xids", "1,79,2,2026-11-20T09:00:00Z -,31,1,2026-11-20T08:30:00Z"));
            racks.change(1, 5, object -> object.withObject("/status").remove("agent"));
        })) {
            browser.open(world.page());
            browser.await("the racks", "document.querySelectorAll('.heat').length === 2 && " + NODES_LISTED);
            evaluate("document.querySelectorAll('button.node')[4].focus()");

            browser.press("Enter");
            browser.await("the drawer", "document.querySelector('#drawer').open");
            assertThat(text("#drawer-title")).isEqualTo(ShownRacks.node(1, 4));
            assertThat(focused()).isEqualTo("BUTTON Close");
            assertThat(texts(".facts dt"))
                    .isEqualTo(
                            "Rack|Node|nvidia-imex|Connected to|GPUs|Findings|Xids|Driver|imex-agent|Mode|Workloads");
            assertThat(texts(".facts dd"))
                    .startsWith(ShownRacks.name(1) + "|Ready|✓up for ")
                    .contains(
                            "|17/17 nodes, as 10.0.0.5|4 of 4 work, NVIDIA GB200|✕Critical: gpu-lost!Warning: fabric-limited|",
                            "|580.95.05|0.3.0|")
                    .endsWith("|team-b/training-1-0 on channel 1");
            assertThat(texts(".facts tbody tr")).matches("1792[0-9]+ (h|d) ago[|]–311[0-9]+ (h|d) ago");

            world.racks().fail(0, 3);
            browser.await(
                    "the sick rack to be first",
                    "document.querySelector('.rack h3').textContent === '" + ShownRacks.name(0) + "'");
            world.racks().change(1, 4, object -> object.withObject("/status").put("driver", "580.99.1"));
            browser.await(
                    "the drawer to be drawn again",
                    LOOK + "document.querySelector('.facts').textContent.includes('580.99.1')");
            assertThat(focused()).isEqualTo("BUTTON Close");
            browser.press("Escape");
            browser.await("it to be closed", "!document.querySelector('#drawer').open");
            awaitFocus("BUTTON " + ShownRacks.node(1, 4));

            browser.press("Tab");
            browser.press("Enter");
            browser.await("the drawer of the next", "document.querySelector('#drawer').open");
            assertThat(texts(".facts dd"))
                    .contains(
                            "|4 work|unknown: its agent is of an older version|unknown: its agent is of an older version|");
            browser.press("Enter");
            browser.await("its button to close it", "!document.querySelector('#drawer').open");
            awaitFocus("BUTTON " + ShownRacks.node(1, 5));

            evaluate("document.querySelectorAll('.rack')[1].querySelector('.heat').rows[8].cells[3].focus()");
            browser.press("Enter");
            browser.await("the drawer of the row", "document.querySelector('#drawer').open");
            assertThat(text("#drawer-title")).isEqualTo(ShownRacks.node(1, 7));
            browser.press("Escape");
            awaitFocus("TD rack001-tray-08 to rack001-tray-03: connected");
            assertThat(browser.takeErrors())
                    .filteredOn(error -> !error.contains("503"))
                    .isEmpty();
        }
    }

    @Test
    void aPhoneShowsTheVerdictFirstAndNothingBesideTheScreen() throws Exception {
        try (var world = world(PageE2e::threeRacksOneOfThemBroken)) {
            browser.size(360, 740);
            browser.open(world.page());
            browser.await("the racks", "document.querySelectorAll('.rack').length === 3");

            assertThat(text("#verdict")).isEqualTo("✕3 racks: 1 critical");
            assertThat(evaluate("['#verdict', '#totals', '#alerts', '#racks'].map(part =>"
                                    + " document.querySelector(part).getBoundingClientRect().top)"
                                    + ".every((top, at, all) => top < 740 * (at + 1) && !(top < all[at - 1]))")
                            .asBoolean())
                    .isTrue();
            evaluate("document.querySelector('.rack').open = true");
            browser.await("its matrix", "document.querySelector('.heat')");
            assertThat(wide()).isEqualTo("[]");
            evaluate("document.querySelector('button.node').click()");
            browser.await("the drawer", "document.querySelector('#drawer').open");
            assertThat(wide()).isEqualTo("[]");
        } finally {
            browser.size(1280, 860);
        }
    }

    /** The parts of the page that are wider than what shows them, and so are moved sideways. */
    private static String wide() throws IOException, InterruptedException {
        return evaluate("[document.documentElement, ...document.querySelectorAll('.scroll, dialog')]"
                        + ".filter(part => part.scrollWidth > part.clientWidth)"
                        + ".map(part => part.tagName + ' ' + part.scrollWidth)")
                .toString();
    }

    @Test
    void aLabelOfNodesNamesARack() throws Exception {
        try (var world = new PageWorld(
                folder,
                racks -> {
                    racks.add(0, 1);
                    racks.label(0, "example.com/rack", "row7");
                },
                settings -> settings.with("controller.rackLabel", "example.com/rack"))) {
            browser.open(world.page());
            browser.await("the Nodes to be listed", "document.querySelector('.rack h3')?.textContent === 'row7'");

            assertThat(text(".rack .clique")).isEqualTo(ShownRacks.clique(0));
        }
    }

    @Test
    void linksToGrafanaAndTheRunbookWhereTheyAreConfigured() throws Exception {
        try (var world = new PageWorld(
                folder,
                PageE2e::threeRacksOneOfThemBroken,
                settings -> settings.with("controller.grafanaUrl", "https://grafana.example/base/?orgId=2")
                        .with("controller.runbookUrl", "https://git.example/docs/racks.md"))) {
            browser.open(world.page());
            browser.await("the racks", "document.querySelectorAll('.rack').length === 3");
            evaluate("document.querySelector('.rack').open = true");
            browser.await("the sick rack", "document.querySelector('.heat')");

            assertThat(evaluate("document.querySelector('#alerts .outside').href")
                            .asText())
                    .isEqualTo("https://git.example/docs/racks.md#cause-daemon");
            assertThat(evaluate("document.querySelector('#alerts time').dateTime")
                            .asText())
                    .isEqualTo("2026-11-23T10:12:00Z");
            assertThat(text("#alerts")).matches(".*, for [0-9]+ (h|d) Runbook ↗");
            assertThat(text(".body .step")).startsWith("Next: ");
            assertThat(evaluate("document.querySelector('.body .outside').href").asText())
                    .startsWith("https://grafana.example/base/d/imex-agent?orgId=2&var-node=" + ShownRacks.node(1, 0)
                            + "&var-node=" + ShownRacks.node(1, 1) + "&");
            evaluate("document.querySelectorAll('button.node')[4].click()");
            browser.await("the drawer", "document.querySelector('#drawer').open");
            assertThat(evaluate("document.querySelector('.facts .outside').href")
                            .asText())
                    .isEqualTo("https://grafana.example/base/d/imex-agent?orgId=2&var-node=" + ShownRacks.node(1, 4));
            assertThat(evaluate("document.querySelector('.facts .outside').rel").asText())
                    .isEqualTo("noopener noreferrer");
            assertThat(evaluate("['javascript:alert(1)', 'data:text/html,x', '/x'].map(one => web(one, url => {}))")
                            .toString())
                    .isEqualTo("[null,null,null]");
        }
    }

    @Test
    void hasNamesAndRolesForThoseWhoHearIt() throws Exception {
        try (var world = world(racks -> racks.add(0, 1))) {
            browser.open(world.page());
            browser.await("the rack", "document.querySelector('.heat')");

            assertThat(browser.heard())
                    .contains(
                            "heading NVLink racks",
                            "heading Alerts",
                            "searchbox Find",
                            "combobox Show",
                            "button Open all shown",
                            "grid IMEX connections, row to column",
                            "columnheader rack000-tray-18",
                            "rowheader rack000-tray-18",
                            "gridcell rack000-tray-18 to rack000-tray-17: connected",
                            "table Nodes",
                            "button " + ShownRacks.node(0, 0),
                            "table Workloads",
                            "status ",
                            "search ");
            assertThat(evaluate("document.documentElement.lang").asText()).isEqualTo("en");
            assertThat(evaluate("[...document.querySelectorAll('input,select')].every(one => one.labels.length === 1)")
                            .asBoolean())
                    .isTrue();
        }
    }

    @Test
    void refreshesAndKeepsWhatIsOpenAndWhereTheReaderIs() throws Exception {
        try (var world = world(racks -> {
            racks.add(0, 1);
            racks.add(1, 1);
        })) {
            browser.open(world.page());
            browser.await("the racks", "document.querySelectorAll('.heat').length === 2");
            evaluate("document.querySelectorAll('.rack')[1].open = false");
            browser.await("one to be closed", "document.querySelectorAll('.heat').length === 1");
            evaluate("document.querySelector('.heat').rows[5].cells[9].focus()");

            world.racks().fail(0, 8);
            world.racks().add(2, 1);

            browser.await("what has changed", "document.querySelectorAll('.heat [data-s=L]').length === 17");
            browser.await("the new rack", LOOK + "document.querySelectorAll('.rack').length === 3");
            assertThat(focused()).isEqualTo("TD rack000-tray-05 to rack000-tray-09: lost");
            assertThat(evaluate("[...document.querySelectorAll('.rack')].map(rack => rack.open)")
                            .toString())
                    .isEqualTo("[true,false,false]");
            assertThat(text("#alerts")).contains("is \"failed\" on ");
            assertThat(pixel(8, 8)).as("the failed node in small").isEqualTo(pixel(8, 5));
            for (int node = 0; node < ShownRacks.NODES; node++) {
                world.api().remove(ResourceType.NVLINK_NODES, "", ShownRacks.node(2, node));
            }
            browser.await(
                    "its nodes to be gone",
                    LOOK + "!document.body.textContent.includes('" + ShownRacks.node(2, 0) + "')");
        }
    }

    @Test
    void saysSinceWhenNothingIsHeardAndComesBackByItself() throws Exception {
        try (var world = world(racks -> racks.add(0, 1))) {
            browser.open(world.page());
            browser.await("the rack", "document.querySelector('.heat')");

            world.api().goAway();
            browser.await("it to be said that all is old", "!document.querySelector('#stale').hidden");
            assertThat(browser.heard()).as("said aloud at once").contains("alert ");
            assertThat(text("#stale"))
                    .matches(
                            "What is shown may be old[.] The controller cannot read from the API server since 20[^ ]+Z, .+");
            assertThat(states("C")).isEqualTo(18 * 17);
            world.api().comeBack();
            world.racks().fail(0, 0);
            browser.await("it to be new", "document.querySelector('#stale').hidden");
            browser.await("what has changed", "document.querySelectorAll('.heat [data-s=L]').length === 17");

            world.stopController();
            browser.await("the controller to be missed", "document.querySelector('#status').className === 'away'");
            assertThat(text("#status"))
                    .matches("No answer from the controller since \\d\\d:\\d\\d:\\d\\d; what is shown is of before."
                            + " Trying again\\.");
            assertThat(evaluate("document.querySelector('#status').ariaLive").asText())
                    .isEqualTo("polite");
            assertThat(states("L")).isEqualTo(17);
            world.startController();
            browser.await("it to be back", "document.querySelector('#status').className === ''");
            assertThat(text("#status")).contains("up to date at");
            // That it is still up to date is not said each time.
            browser.await("silence", LOOK + "document.querySelector('#status').ariaLive === 'off'");
            browser.takeErrors();
        }
    }

    @Test
    void asksForNothingWhileNobodyLooks() throws Exception {
        try (var world = world(racks -> racks.add(0, 1))) {
            browser.open(world.page());
            browser.await("the rack", "document.querySelector('.heat')");
            evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true});"
                    + "document.dispatchEvent(new Event('visibilitychange'))");
            world.racks().fail(0, 0);
            // Longer than it would take to refresh: a hidden page that asked would have changed by now.
            assertThat(evaluate(
                                    "new Promise(done => setTimeout(() => done(document.querySelectorAll('[data-s=L]').length),"
                                            + " 6500))")
                            .asInt())
                    .isOne();

            evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))");

            browser.await("what has changed", "document.querySelectorAll('.heat [data-s=L]').length === 17");
        }
    }

    @Test
    void whateverSomebodyNamesIsTextOnly() throws Exception {
        try (var world = world(racks -> {
            racks.add(0, 1);
            racks.change(0, 0, object -> {
                ObjectNode status = object.withObject("/status");
                status.put("driver", HOSTILE.substring(0, 64)).put("imex", HOSTILE.substring(0, 60));
                status.putObject("agent")
                        .put("version", "<b>1</b>")
                        .put("gpus", 1)
                        .put("product", HOSTILE.substring(0, 64))
                        .put("findings", "critical:<b>x</b> critical:gpu-lost");
                status.putObject("connections")
                        .put("address", "<b>x")
                        .put("lost", "<script>alert(1)</script> 10.0.0.2");
                object.withArray("/spec/holds")
                        .addObject()
                        .put("computeDomain", "uid-hostile")
                        .put("namespace", "<img src=x onerror=window.hacked=3>")
                        .put("name", HOSTILE + "\u202e" + "x".repeat(150));
            });
        })) {
            browser.open(world.page());
            browser.await("the rack", "document.querySelector('.heat')");
            evaluate("document.querySelector('#find').value = '<img src=x';"
                    + "document.querySelector('#find').dispatchEvent(new Event('input'))");

            assertThat(text(".body")).contains(HOSTILE, "<img src=x onerror=window.hacked=3>/");
            assertThat(text(".heat")).contains("<script>alert(1)</script>");
            evaluate("document.querySelector('button.node').click()");
            browser.await("the drawer", "document.querySelector('#drawer').open");
            assertThat(text(".facts")).contains(HOSTILE.substring(0, 60), "_b_1__b_", "✕Critical: gpu-lostXids");
            assertThat(evaluate("document.querySelectorAll('dialog img, dialog script, dialog b').length")
                            .asInt())
                    .isZero();
            assertThat(evaluate("window.hacked === undefined").asBoolean()).isTrue();
            assertThat(evaluate("document.querySelectorAll('main img, main script, main b').length")
                            .asInt())
                    .isZero();
            assertThat(browser.takeErrors())
                    .filteredOn(error -> !error.contains("503"))
                    .isEmpty();
        }
    }

    @Test
    void showsSixHundredCliques() throws Exception {
        try (var world = world(racks -> {
            for (int rack = 0; rack < 600; rack++) {
                racks.add(rack, 1);
            }
            racks.fail(411, 7);
        })) {
            browser.open(world.page());
            browser.await("the racks", "document.querySelectorAll('.rack').length === 600");

            assertThat(texts("#totals dd")).startsWith("600|10,80010,782 up|43,200|600of 76,200|600|");
            assertThat(evaluate("document.querySelectorAll('.body').length").asInt())
                    .isZero();
            type("#find", ShownRacks.node(411, 7));
            assertThat(text("#shown")).isEqualTo("1 of 600 shown");
            type("#find", "");
            evaluate("document.querySelector('#show').value = 'alerts';"
                    + "document.querySelector('#show').dispatchEvent(new Event('change'))");
            assertThat(text("#shown")).isEqualTo("1 of 600 shown");
            evaluate("document.querySelector('#open').click()");
            browser.await("the rack to be drawn", "document.querySelectorAll('.heat').length === 1");
            assertThat(states("L")).isEqualTo(17);

            world.racks().fail(12, 0);
            browser.await("what has changed", "document.querySelector('#shown').textContent === '2 of 600 shown'");
            assertThat(evaluate("document.querySelectorAll('.body').length").asInt())
                    .isOne();
            assertThat(texts(".rack h3")).startsWith(ShownRacks.name(12) + "|" + ShownRacks.name(411) + "|");

            evaluate("document.querySelector('#show').value = 'all';"
                    + "document.querySelector('#show').dispatchEvent(new Event('change'));"
                    + "document.querySelector('#open').click()");
            browser.await("the first of 600 to be drawn", "document.querySelectorAll('.heat').length === 24");
            assertThat(text("#shown")).isEqualTo("the first 24 opened: narrow the list for the others");
            assertThat(evaluate(
                                    "(() => { const begun = performance.now(); document.querySelector('#find').value = '-09';"
                                            + "document.querySelector('#find').dispatchEvent(new Event('input'));"
                                            + "document.body.offsetHeight; return performance.now() - begun; })()")
                            .asDouble())
                    .as("milliseconds in which the page does not answer while its reader types")
                    .isLessThan(1_000);
            evaluate("document.querySelector('#close').click()");
            browser.await("all to be closed", "!document.querySelector('.body')");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"light", "dark"})
    void isLegibleInLightAndDarkAndOnPaper(String colours) throws Exception {
        try (var world = world(racks -> {
            racks.add(0, 1);
            racks.fail(0, 2);
            racks.mismatch(0, 5, 6);
        })) {
            browser.media(colours, "screen");
            browser.open(world.page());
            browser.await("the rack", "document.querySelector('.heat')");

            assertThat(evaluate("getComputedStyle(document.body).backgroundColor")
                            .asText())
                    .isEqualTo(colours.equals("dark") ? "rgb(18, 22, 21)" : "rgb(245, 246, 244)");
            assertThat(evaluate(CONTRASTS).toString()).isEqualTo("[]");

            browser.media(colours, "print");
            assertThat(evaluate("getComputedStyle(document.body).backgroundColor")
                            .asText())
                    .isEqualTo("rgb(255, 255, 255)");
            assertThat(evaluate(CONTRASTS).toString()).isEqualTo("[]");
            assertThat(evaluate("getComputedStyle(document.querySelector('#tools')).display")
                            .asText())
                    .isEqualTo("none");
            assertThat(evaluate("getComputedStyle(document.querySelector('.heat')).display")
                            .asText())
                    .isEqualTo("table");
            browser.media("light", "screen");
        }
    }

    /** Texts whose contrast to what lies behind them is less than WCAG 2.2 asks for, 4.5 to 1. */
    private static final String CONTRASTS = """
            (() => {
              const numbers = text => text.match(/[\\d.]+/g).map(Number);
              const light = ([r, g, b]) => [r, g, b].map(c => c / 255)
                .map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
                .reduce((sum, c, at) => sum + c * [.2126, .7152, .0722][at], 0);
              const behind = element => {
                for (let at = element; at; at = at.parentElement) {
                  const colour = numbers(getComputedStyle(at).backgroundColor);
                  if (colour.length < 4 || colour[3] > 0) return colour;
                }
                return [255, 255, 255];
              };
              const poor = [];
              for (const element of document.querySelectorAll('body *')) {
                const own = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
                if (!own || element.closest('script,style,.skip,option,noscript,[data-s="-"]')) continue;
                const one = light(numbers(getComputedStyle(element).color)), other = light(behind(element));
                const ratio = (Math.max(one, other) + .05) / (Math.min(one, other) + .05);
                if (ratio < 4.5) poor.push(element.tagName + '.' + element.className + ' ' + ratio.toFixed(2));
              }
              return [...new Set(poor)];
            })()""";

    private static void threeRacksOneOfThemBroken(ShownRacks racks) {
        for (int rack = 0; rack < 3; rack++) {
            racks.add(rack, 1);
        }
        racks.fail(1, 3);
    }

    private PageWorld world(Consumer<ShownRacks> filling) throws IOException, InterruptedException {
        return new PageWorld(folder, filling);
    }

    private static JsonNode evaluate(String expression) throws IOException, InterruptedException {
        return browser.evaluate(expression);
    }

    private static String text(String selector) throws IOException, InterruptedException {
        return evaluate("document.querySelector('" + selector + "').textContent")
                .asText();
    }

    private static String texts(String selector) throws IOException, InterruptedException {
        return evaluate("[...document.querySelectorAll('" + selector + "')].map(one => one.textContent).join('|')")
                .asText();
    }

    private static int states(String state) throws IOException, InterruptedException {
        return evaluate("document.querySelectorAll('.heat [data-s=" + state + "]').length")
                .asInt();
    }

    private static String pixel(int x, int y) throws IOException, InterruptedException {
        return evaluate("document.querySelector('canvas').getContext('2d').getImageData(%d, %d, 1, 1).data.join()"
                        .formatted(x, y))
                .asText();
    }

    private static void type(String selector, String text) throws IOException, InterruptedException {
        evaluate("{ const field = document.querySelector('" + selector + "'); field.value = '" + text
                + "'; field.dispatchEvent(new Event('input')); }");
    }

    private static String focused() throws IOException, InterruptedException {
        return evaluate(FOCUSED).asText();
    }

    /** A dialog gives the focus back after it has closed. */
    private static void awaitFocus(String expected) throws IOException, InterruptedException {
        browser.await("the focus on " + expected, FOCUSED + " === '" + expected + "'");
    }
}
