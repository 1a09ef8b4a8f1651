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
 * The writes of this process to the node's object: the last that was acknowledged, and those that may still land. A
 * write of unknown outcome is past as soon as a later one is acknowledged: each is bound to the version that it
 * changes. Not thread-safe.
 */
final class Acknowledged {

    /** What the object says by a write of this process; empty before the first, and after another's. */
    private Optional<NvlinkNode> last = Optional.empty();

    private Optional<NvlinkNode> underWay = Optional.empty();

    /** Writes of this process whose outcome is not known. */
    private final Set<NvlinkNode> unknown = new HashSet<>();

    /** Since which write each ComputeDomain is held without a break. */
    private final Map<ComputeDomainUid, Long> since = new HashMap<>();

    private long writes;

    long writes() {
        return writes;
    }

    Optional<NvlinkNode> last() {
        return last;
    }

    /** Whether no write is under way, or may still land. */
    boolean settled() {
        return underWay.isEmpty() && unknown.isEmpty();
    }

    /** Whether a write may still land whose answer this process has given up. */
    boolean unanswered() {
        return !unknown.isEmpty();
    }

    /** Whether this process wrote this last, or is writing it. */
    boolean writes(NvlinkNode content) {
        return Optional.of(content).equals(last) || Optional.of(content).equals(underWay);
    }

    /** Since which write the ComputeDomain is surely held in these cliques; empty where it is not. */
    Optional<Long> since(ComputeDomainUid domain, SortedSet<CliqueId> in) {
        return surely(domain, in) ? Optional.ofNullable(since.get(domain)) : Optional.empty();
    }

    /** Whether the last acknowledged write says so, and no write that may still land says otherwise. */
    private boolean surely(ComputeDomainUid domain, SortedSet<CliqueId> in) {
        return last.isPresent()
                && Stream.of(last.stream(), unknown.stream(), underWay.stream())
                        .flatMap(contents -> contents)
                        .allMatch(content ->
                                content.binds(domain) && content.cliques().equals(in));
    }

    /** A write begins. */
    void started(NvlinkNode content) {
        writes++;
        // One that ended in a defect was never answered.
        lost();
        underWay = Optional.of(content);
    }

    /** The write was acknowledged, and left this. */
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

    /** The write was refused, and what the object says is not known. */
    void refused() {
        underWay = Optional.empty();
        forget();
    }

    /** The outcome of the write is not known. */
    void lost() {
        underWay.ifPresent(unknown::add);
        underWay = Optional.empty();
    }

    /** The object says something else than this process has written. */
    void forget() {
        last = Optional.empty();
    }
}
