package io.imexagent.testing.api;

import static io.imexagent.testing.api.Client.DOMAINS;
import static io.imexagent.testing.api.Client.SLICES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.object.ResourceType;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Watches: what they send, where they resume, how they end. */
final class ApiDoubleWatchTest {
    private final ApiDouble api;
    private final Client admin;

    ApiDoubleWatchTest() throws IOException {
        api = ApiDouble.start(new ApiDoubleOptions()
                .plainHttp()
                .bookmarkInterval(Duration.ofMillis(20))
                .historyWindow(20));
        admin = Client.admin(api);
    }

    @AfterEach
    void stop() {
        admin.close();
        api.close();
    }

    private void seed(String name) {
        api.apply(Fixtures.computeDomain("default", name, Fixtures.uid(name.hashCode() & 0xffff), "template"));
    }

    private String version() throws IOException, InterruptedException {
        return admin.get(DOMAINS).at("/metadata/resourceVersion");
    }

    @Test
    void sendsTheObjectsOfNowAndThenTheChanges() throws Exception {
        seed("a");
        try (Lines lines = admin.watch(DOMAINS + "?watch=true")) {
            assertThat(lines.nextNamed()).isEqualTo("ADDED a");
            seed("b");
            assertThat(lines.nextNamed()).isEqualTo("ADDED b");
            admin.merge(DOMAINS + "/b/status", "{\"status\":{\"status\":\"NotReady\"}}");
            assertThat(lines.nextNamed()).isEqualTo("MODIFIED b");
            api.remove(ResourceType.COMPUTE_DOMAINS, "default", "b");
            assertThat(lines.nextNamed()).isEqualTo("DELETED b");
        }
    }

    @Test
    void replaysTheEventsAfterTheVersionItResumesFrom() throws Exception {
        seed("a");
        String version = version();
        seed("b");
        api.remove(ResourceType.COMPUTE_DOMAINS, "default", "a");

        try (Lines lines = admin.watch(DOMAINS + "?watch=1&resourceVersion=" + version)) {
            assertThat(lines.nextNamed()).isEqualTo("ADDED b");
            ObjectNode deleted = lines.next();
            assertThat(deleted.path("type").asText()).isEqualTo("DELETED");
            assertThat(deleted.at("/object/metadata/resourceVersion").asText()).isEqualTo(version());
        }
    }

    @Test
    void answers410ToAWatchFromACompactedVersion() throws Exception {
        String version = version();
        seed("a");
        api.compact();

        try (Lines lines = admin.watch(DOMAINS + "?watch=true&resourceVersion=" + version)) {
            ObjectNode event = lines.next();
            assertThat(event.path("type").asText()).isEqualTo("ERROR");
            assertThat(event.at("/object/kind").asText()).isEqualTo("Status");
            assertThat(event.at("/object/code").asInt()).isEqualTo(410);
            assertThat(event.at("/object/reason").asText()).isEqualTo("Expired");
            assertThat(lines.end()).isEmpty();
        }
    }

    @Test
    void answers410OnceTheHistoryWindowHasMovedOn() throws Exception {
        String version = version();
        for (int i = 0; i < 30; i++) {
            seed("domain-" + i);
        }

        try (Lines lines = admin.watch(DOMAINS + "?watch=true&resourceVersion=" + version)) {
            assertThat(lines.next().at("/object/code").asInt()).isEqualTo(410);
        }
    }

    @Test
    void resumesFromTheCurrentVersionAfterACompaction() throws Exception {
        seed("a");
        api.compact();

        try (Lines lines = admin.watch(DOMAINS + "?watch=true&resourceVersion=" + version())) {
            seed("b");
            assertThat(lines.nextNamed()).isEqualTo("ADDED b");
        }
    }

    @Test
    void sendsBookmarksToThoseWhoTakeThem() throws Exception {
        seed("a");
        try (Lines lines = admin.watch(DOMAINS + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + version())) {
            ObjectNode bookmark = lines.next();

            assertThat(bookmark.path("type").asText()).isEqualTo("BOOKMARK");
            assertThat(bookmark.at("/object/kind").asText()).isEqualTo("ComputeDomain");
            assertThat(bookmark.at("/object/metadata/resourceVersion").asText()).isEqualTo(version());
        }
    }

    @Test
    void endsInOrderWhenItsTimeIsUp() throws Exception {
        seed("a");
        try (Lines lines = admin.watch(DOMAINS + "?watch=true&timeoutSeconds=1&resourceVersion=" + version())) {
            assertThat(lines.end()).isEmpty();
        }
    }

    @Test
    void showsAnObjectThatComesIntoViewAndGoesOutOfIt() throws Exception {
        seed("a");
        try (Lines lines = admin.watch(DOMAINS + "?watch=true&labelSelector=seen%3Dyes")) {
            admin.merge(DOMAINS + "/a", "{\"metadata\":{\"labels\":{\"seen\":\"yes\"}}}");
            assertThat(lines.nextNamed()).isEqualTo("ADDED a");
            admin.merge(DOMAINS + "/a", "{\"metadata\":{\"labels\":{\"seen\":null}}}");
            assertThat(lines.nextNamed()).isEqualTo("DELETED a");
        }
    }

    @Test
    void watchesTheSlicesOfOneNodeAndDriver() throws Exception {
        String query = "?watch=true&fieldSelector=spec.nodeName%3Da,spec.driver%3Dcompute-domain.nvidia.com";
        try (Lines lines = admin.watch(SLICES + query)) {
            admin.create(SLICES, Fixtures.resourceSlice("b", Fixtures.uid(1)));
            admin.create(SLICES, Fixtures.resourceSlice("a", Fixtures.uid(2)));
            assertThat(lines.next().at("/object/spec/nodeName").asText()).isEqualTo("a");

            assertThat(api.deleteSlicesOfNode("a")).isEqualTo(1);
            assertThat(lines.next().path("type").asText()).isEqualTo("DELETED");
            assertThat(api.list(ResourceType.RESOURCE_SLICES)).hasSize(1);
        }
    }

    @Test
    void breaksOffWhenItIsDropped() throws Exception {
        seed("a");
        try (Lines lines = admin.watch(DOMAINS + "?watch=true")) {
            lines.next();

            assertThat(api.dropWatches()).isEqualTo(1);

            assertThatThrownBy(lines::end).isInstanceOf(IOException.class);
        }
    }

    @Test
    void isClosedOnceItsClientHasGone() throws Exception {
        seed("a");
        try (Lines lines = admin.watch(DOMAINS + "?watch=true")) {
            lines.next();
            assertThat(api.openWatches()).isEqualTo(1);
        }

        for (int i = 0; i < 1000 && api.openWatches() > 0; i++) {
            Thread.sleep(10);
        }
        assertThat(api.openWatches()).isZero();
    }
}
