package io.imexagent.agent.log;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The messages that operators automate on. Each has an id that never changes, the journal's {@code MESSAGE_ID}, by which
 * the text of the catalogue is found ({@code journalctl --catalog}), and which a message keeps where its words change.
 */
enum KnownMessage {
    REGISTERED(
            "e5b20abf4e104e218c465f8b6331cf8c",
            "registered with the kubelet",
            "The kubelet has taken the driver on",
            """
            imex-agent on @IMEX_NODE@ serves: from now on the kubelet sends claims to it. It comes \
            after each start of the agent or of the kubelet, once for each driver.
            """),
    START_REFUSED("e43c68e741aa41e58c97d558d143344a", "cannot serve", "The agent does not start", """
            imex-agent cannot serve on @IMEX_NODE@, and ends; systemd starts it again. Until it \
            serves, no pod that needs one of its devices starts on this node. The message has the \
            reason and what to do, "imex-agent check" looks for more.
            """),
    CHECKPOINT_FROM_BACKUP(
            "b4ac076a350045d6aa0fae34b70d0a6f",
            "checkpoint taken from its backup",
            "The record of prepared claims was broken",
            """
            The checkpoint below the kubelet's directory could not be read. The agent has taken its \
            backup, and serves; claims that were answered stay prepared. The broken file is kept \
            beside it: look at it, and at the disk, for the cause.
            """),
    CLAIM_PREPARED("41b030d93e704cc6ba8842de321ba0a0", "claim prepared", "A claim is prepared", """
            The devices of the ResourceClaim with the UID @IMEX_CLAIM_UID@ are ready for containers \
            on @IMEX_NODE@.
            """),
    CLAIM_REFUSED("f80c6e5908cc4abd81a095fcc0976f29", "claim refused", "A claim is refused", """
            The ResourceClaim with the UID @IMEX_CLAIM_UID@ was not prepared on @IMEX_NODE@, for \
            the reason @IMEX_CODE@. Its pod does not start; the kubelet asks again. What the code \
            means and what helps stands in troubleshooting.md of the documentation.
            """),
    CLAIM_UNPREPARED("8be398aca54c424db5ad74f300ebe049", "claim unprepared", "A claim is unprepared", """
            Nothing of the ResourceClaim with the UID @IMEX_CLAIM_UID@ is left on @IMEX_NODE@: its \
            devices are free.
            """),
    IMEX_UP("8cce4cd80a4149adbd4d91dff4f0546c", "nvidia-imex is up", "nvidia-imex works", """
            nvidia-imex on @IMEX_NODE@ is ready and connected to its peers.
            """),
    IMEX_NOT_UP(
            "7955d44637ee4366bce679d91df632d5", "nvidia-imex is not up", "nvidia-imex does not work as it should", """
            nvidia-imex on @IMEX_NODE@ is down, not connected to all its peers, or does not answer; \
            @IMEX_CODE@ says which. Pods that share memory over NVLink with other nodes fail, or \
            will. "imex-agent health" has the peers and the next step; health.md explains the codes.
            """),
    XID("bfe1b40625834414823a2aa484654ef7", "GPU reported an Xid", "A GPU has reported an error", """
            The driver has reported an Xid of a GPU of @IMEX_NODE@. The message has its number, and \
            whether a program on the GPU or the GPU itself is its usual cause; NVIDIA's list of \
            Xids has the rest.
            """),
    CHANNEL_CONFLICT(
            "7eb5e5ee5ab542e69fb123591ef5b3ad",
            "containers use a channel that belongs to another ComputeDomain in the node's present clique,"
                    + " end their pods at once",
            "Containers use a channel of another workload",
            """
            @IMEX_NODE@ was given to another NVLink partition while containers of the one before ran \
            on. Their channel belongs to another workload there, whose memory they can reach. End \
            their pods now: drain the node.
            """);

    private static final Map<String, KnownMessage> BY_WORDS =
            Arrays.stream(values()).collect(Collectors.toMap(message -> message.words, Function.identity()));

    /** 128 random bits, 32 digits. */
    final String id;

    /** How its template begins, up to the first {@code key=}. */
    final String words;

    /** What has happened, in a few words. */
    final String subject;

    /** What that means and what to do, one paragraph; fields of the entry stand between at signs. */
    final String text;

    KnownMessage(String id, String words, String subject, String text) {
        this.id = id;
        this.words = words;
        this.subject = subject;
        this.text = text.strip();
    }

    /** The message of this template of SLF4J; empty where operators do not go by it. */
    static Optional<KnownMessage> of(String template) {
        int key = template.indexOf('=');
        String words = key < 0 ? template : template.substring(0, Math.max(0, template.lastIndexOf(' ', key)));
        return Optional.ofNullable(BY_WORDS.get(words));
    }
}
