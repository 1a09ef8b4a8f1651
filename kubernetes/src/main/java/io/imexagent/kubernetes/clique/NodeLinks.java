package io.imexagent.kubernetes.clique;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How a node is connected to the others of its IMEX domain, by the word of its own nvidia-imex: its address there, and
 * those of the others, by state. Addresses stand as in {@code nodes_config.cfg}, separated by blanks: as lists they
 * would cost a controller twenty times the memory.
 */
public record NodeLinks(String address, String connected, String degraded, String lost, String unknown) {

    /** The most addresses that are listed for one state; the largest domains have some dozens of nodes. */
    public static final int MOST = 256;

    /** The longest address, in characters, all of them ASCII. */
    public static final int LONGEST = 40;

    /** The state of a connection. */
    public enum LinkState {
        CONNECTED("connected"),
        /** The two do not trust or understand each other, or are about to find out. */
        DEGRADED("degraded"),
        /** There is none, or none any more. */
        LOST("lost"),
        /** No node that could know it has reported it. */
        UNKNOWN("unknown");

        private final String text;

        LinkState(String text) {
            this.text = text;
        }

        /** The state as people read it, and as the object of a node has it. */
        public String text() {
            return text;
        }
    }

    /** The links of a node of this address; what is more than {@link #MOST} of a state is left out. */
    public static NodeLinks of(String address, Map<LinkState, List<String>> others) {
        return new NodeLinks(
                word(address),
                words(others, LinkState.CONNECTED),
                words(others, LinkState.DEGRADED),
                words(others, LinkState.LOST),
                words(others, LinkState.UNKNOWN));
    }

    private static String words(Map<LinkState, List<String>> others, LinkState state) {
        return String.join(
                " ",
                others.getOrDefault(state, List.of()).stream()
                        .limit(MOST)
                        .map(NodeLinks::word)
                        .toList());
    }

    /** Of a name that is too long, without its domain, by which it is still found. */
    private static String word(String address) {
        String plain = address.strip().replaceAll("[^!-~]", "_");
        String fitting = plain.length() > LONGEST ? plain.split("\\.", 2)[0] : plain;
        return fitting.substring(0, Math.min(fitting.length(), LONGEST));
    }

    /** The addresses of a state, separated by blanks. */
    public String of(LinkState state) {
        return switch (state) {
            case CONNECTED -> connected;
            case DEGRADED -> degraded;
            case LOST -> lost;
            case UNKNOWN -> unknown;
        };
    }

    /** The state of each connection, by the other's address; of two for one address the worse one. */
    public Map<String, LinkState> byAddress() {
        Map<String, LinkState> states = new HashMap<>();
        for (LinkState state : LinkState.values()) {
            Arrays.stream(of(state).split(" ", MOST + 1))
                    .filter(other -> !other.isEmpty())
                    .limit(MOST)
                    .forEach(other -> states.put(word(other), state));
        }
        return states;
    }
}
