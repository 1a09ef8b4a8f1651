package io.imexagent.e2e.page;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Makes the pictures of the page that the documentation shows. */
public final class Pictures {

    private static final int WIDTH = 1280;
    private static final int PHONE = 390;

    private Pictures() {}

    /** Six racks: one has lost a node, in another versions differ, in a third a kubelet is silent; into this folder. */
    public static void write(Path folder) throws IOException, InterruptedException {
        Path temporary = Files.createTempDirectory("pictures");
        Files.createDirectories(folder);
        try (var world = new PageWorld(temporary, Pictures::troubles);
                var browser = new Browser(temporary.resolve("profile"))) {
            browser.size(WIDTH, 860);
            browser.media("light", "screen");
            show(world, browser);
            browser.picture(folder.resolve("racks-light.png"));
            browser.evaluate("document.querySelector('.rack summary').click()");
            browser.await("the rack to be open", "document.querySelectorAll('.heat').length === 1");
            browser.evaluate("location.hash = document.querySelector('.rack').id");
            browser.await("it to be there", "document.activeElement.tagName === 'SUMMARY'");
            browser.media("dark", "screen");
            browser.size(WIDTH, 940);
            browser.picture(folder.resolve("racks-dark.png"));
            browser.evaluate("document.querySelectorAll('button.node')[4].click()");
            browser.await("the drawer", "document.querySelector('#drawer').open");
            browser.media("light", "screen");
            browser.size(PHONE, 740);
            browser.picture(folder.resolve("racks-drawer.png"));
            browser.evaluate("document.querySelector('#drawer').close(); document.querySelector('#close').click();"
                    + " scrollTo(0, 0)");
            browser.picture(folder.resolve("racks-phone.png"));
        }
    }

    static void show(PageWorld world, Browser browser) throws IOException, InterruptedException {
        browser.open(world.page());
        browser.await("the Nodes to be listed", "document.querySelector('#alerts').innerText.includes('not answer')");
    }

    static void troubles(ShownRacks racks) {
        for (int rack = 0; rack < 6; rack++) {
            racks.add(rack, 1 + rack % 3);
        }
        racks.fail(1, 4);
        racks.report(
                1, 4, report -> report.put("findings", "critical:gpu-lost").put("xids", "2,79,1,2026-11-23T10:11:00Z"));
        racks.mismatch(3, 9, 13);
        racks.silence(4, 11);
    }
}
