package io.imexagent.agent.render;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.claim.Allocation;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.PreparedDevice;
import io.imexagent.core.ledger.PreparedGroup;

/** A claim of the ledger as a document. What an old checkpoint did not record is left out. */
public final class ClaimDocument {

    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private ClaimDocument() {}

    /** The document. */
    public static ObjectNode of(ClaimEntry entry) {
        ObjectNode document = NODES.objectNode().put("uid", entry.uid().value());
        entry.name()
                .ifPresent(name -> document.put("namespace", name.namespace()).put("name", name.name()));
        document.put("state", state(entry));
        entry.status()
                .allocation()
                .flatMap(Allocation::timestamp)
                .ifPresent(time -> document.put("allocatedAt", time.toString()));
        switch (entry) {
            case ClaimEntry.Started _ -> {}
            case ClaimEntry.Completed completed -> devices(completed, document.putArray("devices"));
            case ClaimEntry.Aborted aborted ->
                document.put("abortedAt", aborted.at().toString());
        }
        return document;
    }

    /** The entry's state in one word. */
    public static String state(ClaimEntry entry) {
        return switch (entry) {
            case ClaimEntry.Started _ -> "started";
            case ClaimEntry.Completed _ -> "completed";
            case ClaimEntry.Aborted _ -> "aborted";
        };
    }

    private static void devices(ClaimEntry.Completed completed, ArrayNode devices) {
        for (PreparedGroup group : completed.groups()) {
            for (PreparedDevice device : group.devices()) {
                ObjectNode document = device(device);
                if (!group.computeDomain().isEmpty()) {
                    document.put("computeDomain", group.computeDomain());
                }
                devices.add(document);
            }
        }
    }

    private static ObjectNode device(PreparedDevice device) {
        ObjectNode document = switch (device) {
            case PreparedDevice.Channel channel ->
                NODES.objectNode()
                        .put("type", "channel")
                        .put("channel", channel.id().number());
            case PreparedDevice.Daemon _ -> NODES.objectNode().put("type", "daemon");
            case PreparedDevice.Plain _ -> NODES.objectNode().put("type", "rail");
        };
        PreparedDevice.Handed handed = device.handed();
        document.put("pool", handed.pool()).put("device", handed.device());
        handed.requests().forEach(document.putArray("requests")::add);
        handed.cdiDeviceIds().forEach(document.putArray("cdiDeviceIds")::add);
        handed.shareId().ifPresent(share -> document.put("shareId", share));
        return document;
    }
}
