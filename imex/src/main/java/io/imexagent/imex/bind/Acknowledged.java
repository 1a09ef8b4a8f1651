package io.imexagent.imex.bind;

import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The writes of this process to the node's object: the last acknowledged one, and those that may still take effect.
 * Each write is bound to the version that it replaces, so a write of unknown outcome can no longer take effect once a
 * later one is acknowledged. Not thread-safe.
 */
final class Acknowledged {

    /** The content of the last acknowledged write; empty before the first, or if the object may have other content. */
    private Optional<NvlinkNode> last = Optional.empty();

    private Optional<NvlinkNode> underWay = Optional.empty();

    /** Writes of this process with unknown outcome. */
    private final Set<NvlinkNode> unknown = new HashSet<>();

    /** The number of the write since which each ComputeDomain is held without a break. */
    private final Map<ComputeDomainUid, Long> since = new HashMap<>();

    private long writes;

    long writes() {
        return writes;
    }

    Optional<NvlinkNode> last() {
        return last;
    }

    /** Whether no write is under way, and none may still take effect. */
    boolean settled() {
        return underWay.isEmpty() && unknown.isEmpty();
    }

    /** Whether a write for whose answer this process no longer waits may still take effect. */
    boolean unanswered() {
        return !unknown.isEmpty();
    }

    /** Whether this process wrote this content last, or is writing it. */
    boolean writes(NvlinkNode content) {
        return Optional.of(content).equals(last) || Optional.of(content).equals(underWay);
    }

    /** The number of the write since which the ComputeDomain is certainly held in these cliques; empty if it is not. */
    Optional<Long> since(ComputeDomainUid domain, SortedSet<CliqueId> in) {
        return surely(domain, in) ? Optional.ofNullable(since.get(domain)) : Optional.empty();
    }

    /**
     * Whether the last acknowledged write holds the ComputeDomain in these cliques, and so does each write that may
     * still take effect.
     */
    private boolean surely(ComputeDomainUid domain, SortedSet<CliqueId> in) {
        return last.isPresent()
                && Stream.of(last.stream(), unknown.stream(), underWay.stream())
                        .flatMap(contents -> contents)
                        .allMatch(content ->
                                content.binds(domain) && content.cliques().equals(in));
    }

    /** Records the start of a write. */
    void started(NvlinkNode content) {
        writes++;
        // A write that ended in a defect was never answered.
        lost();
        underWay = Optional.of(content);
    }

    /** Records that the write was acknowledged, with the content that the object has now. */
    void written(NvlinkNode content) {
        Set<ComputeDomainUid> holds = content.holds().values().stream()
                .filter(Hold::binds)
                .map(hold -> hold.domain().uid())
                .collect(Collectors.toSet());
        holds.stream()
                .filter(domain -> !surely(domain, content.cliques()))
                .forEach(domain -> since.put(domain, writes));
        since.keySet().retainAll(holds);
        last = Optional.of(content);
        underWay = Optional.empty();
        unknown.clear();
    }

    /** Records that the write was refused; the content of the object is unknown now. */
    void refused() {
        underWay = Optional.empty();
        forget();
    }

    /** Records that the outcome of the write is unknown. */
    void lost() {
        underWay.ifPresent(unknown::add);
        underWay = Optional.empty();
    }

    /** Records that the object has other content than this process has written. */
    void forget() {
        last = Optional.empty();
    }
}
