package io.imexagent.controller.racks;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Groups bad pairs of nodes by the fewest faults that explain them: unconnected parts of the graph of good pairs, then
 * nodes with several bad pairs, then single pairs. Each pair is in one group. Nodes are numbers from 0, in their order.
 */
final class PairGroups {

    /** Two nodes, the lower number first. */
    record BadPair(int one, int other) {

        static BadPair of(int one, int other) {
            return new BadPair(Math.min(one, other), Math.max(one, other));
        }
    }

    /** The kinds of faults that explain the pairs of a group. */
    enum GroupShape {
        /** The nodes are connected to no other nodes. */
        PART,
        /** The nodes are all except the largest part, which has no majority. */
        BROKEN,
        NODE,
        PAIR
    }

    record PairGroup(GroupShape shape, List<Integer> nodes, List<BadPair> pairs) {

        PairGroup {
            nodes = List.copyOf(nodes);
            pairs = List.copyOf(pairs);
        }
    }

    private final List<PairGroup> groups = new ArrayList<>();
    private final Set<BadPair> bad;
    private final Set<BadPair> left;
    private final Function<BadPair, OptionalInt> claimant;

    private PairGroups(Set<BadPair> bad, Set<BadPair> open, Function<BadPair, OptionalInt> claimant) {
        this.bad = Set.copyOf(bad);
        left = new HashSet<>(open);
        this.claimant = claimant;
    }

    /**
     * Groups the {@code open} pairs among the {@code bad} ones; all are between members. If several nodes have equally
     * many pairs, the one that itself reports more of them is at fault. {@code claimant} is the node that alone calls a
     * pair bad while the other calls it good; such a pair is the fault of no other node.
     */
    static List<PairGroup> of(
            List<Integer> members,
            Set<BadPair> bad,
            Set<BadPair> open,
            ToIntFunction<Integer> reported,
            Function<BadPair, OptionalInt> claimant) {
        if (open.isEmpty()) {
            return List.of();
        }
        var groups = new PairGroups(bad, open, claimant);
        if (members.size() > 2) {
            groups.parts(members);
        }
        groups.nodes(members, reported);
        groups.left.stream()
                .sorted(Comparator.comparingInt(BadPair::one).thenComparingInt(BadPair::other))
                .forEach(pair -> groups.groups.add(new PairGroup(GroupShape.PAIR, groups.blamed(pair), List.of(pair))));
        return groups.groups;
    }

    private void parts(List<Integer> members) {
        List<List<Integer>> parts = new ArrayList<>();
        var seen = new BitSet();
        for (int member : members) {
            if (!seen.get(member)) {
                parts.add(part(member, members, seen));
            }
        }
        List<Integer> main = parts.stream()
                .max(Comparator.comparingInt((List<Integer> part) -> part.size())
                        .thenComparing(List::getFirst, Comparator.reverseOrder()))
                .orElseThrow();
        parts.remove(main);
        if (2 * main.size() > members.size()) {
            parts.forEach(part -> take(GroupShape.PART, part));
        } else {
            take(
                    GroupShape.BROKEN,
                    parts.stream().flatMap(List::stream).sorted().toList());
        }
    }

    /** The members that are joined by good pairs to the first one, including itself. */
    private List<Integer> part(int first, List<Integer> members, BitSet seen) {
        List<Integer> part = new ArrayList<>(List.of(first));
        seen.set(first);
        for (int at = 0; at < part.size(); at++) {
            for (int other : members) {
                if (!seen.get(other) && !bad.contains(BadPair.of(part.get(at), other))) {
                    seen.set(other);
                    part.add(other);
                }
            }
        }
        return part.stream().sorted().toList();
    }

    /** The nodes that may be at fault for a pair: its claimant, otherwise both. */
    private List<Integer> blamed(BadPair pair) {
        OptionalInt alone = claimant.apply(pair);
        return alone.isPresent() ? List.of(alone.getAsInt()) : List.of(pair.one(), pair.other());
    }

    private void nodes(List<Integer> members, ToIntFunction<Integer> reported) {
        while (true) {
            int[] degrees = new int
                    [members.stream().mapToInt(member -> member + 1).max().orElse(0)];
            left.forEach(pair -> blamed(pair).forEach(node -> degrees[node]++));
            int worst = members.stream()
                    .max(Comparator.comparingInt((Integer member) -> degrees[member])
                            .thenComparingInt(reported)
                            .thenComparing(Comparator.reverseOrder()))
                    .filter(member -> degrees[member] > 1)
                    .orElse(-1);
            if (worst < 0) {
                return;
            }
            take(GroupShape.NODE, List.of(worst));
        }
    }

    /**
     * Adds a group with the pairs of these nodes with others. Pairs between two of these nodes belong to it only for
     * {@link GroupShape#BROKEN}, whose nodes are several parts.
     */
    private void take(GroupShape shape, List<Integer> nodes) {
        var inside = new HashSet<>(nodes);
        List<BadPair> pairs = left.stream()
                .filter(pair -> switch (shape) {
                    case BROKEN -> inside.contains(pair.one()) || inside.contains(pair.other());
                    case NODE -> blamed(pair).stream().anyMatch(inside::contains);
                    case PART, PAIR -> inside.contains(pair.one()) != inside.contains(pair.other());
                })
                .toList();
        if (!pairs.isEmpty()) {
            pairs.forEach(left::remove);
            groups.add(new PairGroup(shape, nodes, pairs));
        }
    }
}
