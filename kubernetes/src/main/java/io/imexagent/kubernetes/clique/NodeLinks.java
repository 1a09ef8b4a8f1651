package io.imexagent.kubernetes.clique;

import io.imexagent.core.text.DisplayedName;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A node's connections to the others of its IMEX domain, as its own nvidia-imex reports them: its address there, and
 * those of the others by state. Addresses are written as in {@code nodes_config.cfg}, separated by blanks: as lists
 * they would cost a controller twenty times the memory.
 */
public record NodeLinks(String address, String connected, String degraded, String lost, String unknown) {

    /** The most addresses listed for one state; the largest domains have some dozens of nodes. */
    public static final int MOST = 256;

    /** The longest address, in characters, all of them ASCII. */
    public static final int LONGEST = 40;

    private static final Pattern FOREIGN = Pattern.compile("[^!-~]");

    /** The state of a connection. */
    public enum LinkState implements DisplayedName {
        CONNECTED,
        /** The two nodes do not authenticate or are not compatible, or have not finished checking this. */
        DEGRADED,
        /** The connection was never made, or was lost. */
        LOST,
        /** None of the nodes that could know the state has reported it. */
        UNKNOWN
    }

    /** Builds the links of the node of this address; addresses beyond {@link #MOST} of a state are left out. */
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

    /** Shortens a name that is too long by its DNS domain; the rest still identifies the node. */
    private static String word(String address) {
        String plain = FOREIGN.matcher(address.strip()).replaceAll("_");
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

    /** The state of each connection, by the other node's address; if an address has two states, the worse one. */
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
