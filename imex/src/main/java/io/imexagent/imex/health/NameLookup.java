package io.imexagent.imex.health;

import io.imexagent.core.inventory.NodeAddress;
import io.imexagent.core.inventory.NodeDirectory;
import io.imexagent.core.inventory.NodeIdentity;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Finds the names in a file of nodes that DNS resolves to an address of this host, if none of the host's own addresses
 * and names is in the file. A lookup runs in parallel with the readings, which use its result once there is one, since
 * DNS may hang. One lookup runs at a time, and the same list of names is looked up every ten minutes at most.
 */
final class NameLookup {

    /** The time limit of a lookup; the remaining names have no result. */
    private static final Duration DEADLINE = Duration.ofSeconds(30);

    private static final Duration AGAIN = Duration.ofMinutes(10);

    /** The number of lines that are looked up, as many as are reported of a file. */
    private static final int MOST = 256;

    /** Resolves a name to all its addresses. */
    interface NameResolver {
        Collection<InetAddress> resolve(String name) throws UnknownHostException;
    }

    /** The result for these names of a lookup that began at {@code begun}. */
    private record LookupResult(Set<NodeAddress> names, Instant begun, NodeIdentity own, boolean done) {}

    private final NameResolver resolver;
    private final Executor executor;
    private final InstantSource clock;
    private final AtomicReference<LookupResult> last =
            new AtomicReference<>(new LookupResult(Set.of(), Instant.MIN, NodeIdentity.NONE, true));

    /** Creates a lookup; {@code executor} runs the calls that may hang. */
    NameLookup(NameResolver resolver, Executor executor, InstantSource clock) {
        this.resolver = resolver;
        this.executor = executor;
        this.clock = clock;
    }

    /** Creates a lookup by the host's resolver, each in a daemon thread of its own. */
    static NameLookup ofHost(InstantSource clock) {
        return new NameLookup(
                name -> List.of(InetAddress.getAllByName(name)),
                work -> Thread.ofPlatform().daemon().name("imex-names").start(work),
                clock);
    }

    /** The names among the lines that resolve to this host; none before a lookup has ended. Never blocks. */
    NodeIdentity own(List<String> lines, NodeIdentity host) {
        List<NodeAddress> all = NodeIdentity.of(lines.subList(0, Math.min(lines.size(), MOST))).known().stream()
                .toList();
        Set<NodeAddress> names = new HashSet<>(all);
        names.removeIf(NodeAddress.Ip.class::isInstance);
        boolean known = !new NodeDirectory(all.stream()
                        .map(address -> new NodeIdentity(Set.of(address)))
                        .toList())
                .fitting(host)
                .isEmpty();
        if (known || names.isEmpty() || host.known().isEmpty()) {
            return NodeIdentity.NONE;
        }
        LookupResult result = last.get();
        boolean current = result.names().equals(names)
                && clock.instant().isBefore(result.begun().plus(AGAIN))
                && !clock.instant().isBefore(result.begun());
        if (!current && result.done()) {
            NodeIdentity before = result.names().equals(names) ? result.own() : NodeIdentity.NONE;
            last.set(new LookupResult(names, clock.instant(), before, false));
            executor.execute(() -> lookUp(names, host));
        }
        return last.get().names().equals(names) ? last.get().own() : NodeIdentity.NONE;
    }

    private void lookUp(Set<NodeAddress> names, NodeIdentity host) {
        Instant begun = clock.instant();
        Set<NodeAddress> own = new HashSet<>();
        try {
            for (NodeAddress name : names) {
                if (clock.instant().isAfter(begun.plus(DEADLINE))) {
                    break;
                }
                if (leadsTo(host, name.toString())) {
                    own.add(name);
                }
            }
        } finally {
            last.set(new LookupResult(names, begun, new NodeIdentity(own), true));
        }
    }

    private boolean leadsTo(NodeIdentity host, String name) {
        try {
            return resolver.resolve(name).stream()
                    .filter(address -> !address.isLoopbackAddress())
                    .anyMatch(address -> host.known().contains(new NodeAddress.Ip(address)));
        } catch (UnknownHostException unknown) {
            return false;
        }
    }
}
