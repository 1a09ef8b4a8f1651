package io.imexagent.imex.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.inventory.NodeIdentity;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class NameLookupTest {

    private static final NodeIdentity HOST = NodeIdentity.of(List.of("10.0.0.2", "127.0.0.1", "tray-2"));
    private static final Map<String, String> DNS =
            Map.of("imex-1", "10.0.0.1", "imex-2", "10.0.0.2", "loop", "127.0.0.1");

    private final List<String> queried = new ArrayList<>();
    private final Queue<Runnable> started = new ArrayDeque<>();
    private Instant now = Instant.parse("2026-11-28T12:00:00Z");
    private final NameLookup lookup = new NameLookup(this::resolve, started::add, () -> now);

    @Test
    void findsItsNameOnceTheLookupIsDone() {
        List<String> lines = List.of("imex-1", "imex-2", "loop", "unknown", "10.0.0.9");

        assertThat(lookup.own(lines, HOST)).isEqualTo(NodeIdentity.NONE);
        assertThat(lookup.own(lines, HOST)).isEqualTo(NodeIdentity.NONE);
        assertThat(started).hasSize(1);
        started.remove().run();

        assertThat(lookup.own(lines, HOST)).isEqualTo(NodeIdentity.of(List.of("imex-2")));
        assertThat(queried).containsExactlyInAnyOrder("imex-1", "imex-2", "loop", "unknown");
    }

    @Test
    void queriesNothingForAHostThatKnowsItsLine() {
        assertThat(lookup.own(List.of("imex-1", "tray-2.rack"), HOST)).isEqualTo(NodeIdentity.NONE);
        assertThat(lookup.own(List.of("10.0.0.1", "10.0.0.3"), HOST)).isEqualTo(NodeIdentity.NONE);
        assertThat(started).isEmpty();
    }

    @Test
    void keepsAResultForTenMinutesAndWhileItIsLookedUpAgain() {
        List<String> lines = List.of("imex-2");
        lookup.own(lines, HOST);
        started.remove().run();

        now = now.plusSeconds(599);
        assertThat(lookup.own(lines, HOST).known()).hasSize(1);
        assertThat(started).isEmpty();

        now = now.plusSeconds(2);
        assertThat(lookup.own(lines, HOST).known()).hasSize(1);
        assertThat(started).hasSize(1);
    }

    @Test
    void whileOneLookupHangsNoOtherStarts() {
        lookup.own(List.of("imex-1"), HOST);
        now = now.plusSeconds(6_000);
        lookup.own(List.of("imex-2"), HOST);

        assertThat(started).hasSize(1);
    }

    @Test
    void endsAfterHalfAMinute() {
        lookup.own(List.of("slow-1", "slow-2", "slow-3", "slow-4", "slow-5"), HOST);
        started.remove().run();

        assertThat(queried).hasSize(2);
    }

    private List<InetAddress> resolve(String name) throws UnknownHostException {
        queried.add(name);
        if (name.startsWith("slow")) {
            now = now.plusSeconds(20);
        }
        return List.of(InetAddress.ofLiteral(
                Optional.ofNullable(DNS.get(name)).orElseThrow(() -> new UnknownHostException(name))));
    }
}
