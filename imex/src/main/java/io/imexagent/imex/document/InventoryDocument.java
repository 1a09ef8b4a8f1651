package io.imexagent.imex.document;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.core.inventory.ChannelMajor;
import io.imexagent.core.inventory.ChannelNode;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.inventory.CliqueState;
import io.imexagent.core.inventory.DriverState;
import io.imexagent.core.inventory.Finding;
import io.imexagent.core.inventory.Gpu;
import io.imexagent.core.inventory.GpuHealth;
import io.imexagent.core.inventory.NodeInventory;
import io.imexagent.core.inventory.XidHistory;
import java.util.Locale;
import java.util.Optional;

/**
 * The node's inventory as a document. What can be in several states is an object with a {@code state}; what nobody could
 * tell is left out.
 */
public final class InventoryDocument {

    private static final String DETAIL = "detail";
    private static final String REASON = "reason";
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private InventoryDocument() {}

    /**
     * The document.
     *
     * @param xids the Xids that agents have heard since the boot; empty where none has listened
     */
    public static ObjectNode of(NodeInventory inventory, Optional<XidHistory> xids) {
        ObjectNode document =
                NODES.objectNode().put("takenAt", inventory.takenAt().toString());
        document.set("driver", driver(inventory.driver()));
        document.set("clique", clique(inventory.clique()));
        document.set("channelMajor", major(inventory.channelMajor()));
        inventory.channelCount().ifPresent(count -> document.put("channelCount", count));
        document.set("channelNode", node(inventory.channelNode()));
        inventory.bootId().ifPresent(id -> document.put("bootId", id.value()));
        inventory.vendor().ifPresent(vendor -> document.put("vendor", vendor));
        ArrayNode gpus = document.putArray("gpus");
        inventory.gpus().forEach(gpu -> gpus.add(gpu(gpu)));
        xids.ifPresent(history -> document.set("xids", xids(history)));
        ArrayNode findings = document.putArray("findings");
        inventory.findings().forEach(finding -> findings.add(finding(finding)));
        return document;
    }

    private static ObjectNode driver(DriverState driver) {
        return switch (driver) {
            case DriverState.Loaded(String version, String nvml) ->
                state("loaded", "driverVersion", version).put("nvmlVersion", nvml);
            case DriverState.Absent(String reason) -> state("absent", REASON, reason);
            case DriverState.Failing(String reason) -> state("failing", REASON, reason);
        };
    }

    private static ObjectNode clique(CliqueState clique) {
        return switch (clique) {
            case CliqueState.Present(CliqueId id) -> state("present", "id", id.text());
            case CliqueState.None(String reason) -> state("none", REASON, reason);
            case CliqueState.Registering(String detail) -> state("registering", DETAIL, detail);
            case CliqueState.Failed(String detail) -> state("failed", DETAIL, detail);
            case CliqueState.Conflicting conflicting -> {
                ObjectNode document = state("conflicting");
                ArrayNode ids = document.putArray("ids");
                conflicting.ids().forEach(id -> ids.add(id.text()));
                yield document;
            }
            case CliqueState.Unknown(String detail) -> state("unknown", DETAIL, detail);
        };
    }

    private static ObjectNode major(ChannelMajor major) {
        return switch (major) {
            case ChannelMajor.Registered(int number) -> state("registered").put("major", number);
            case ChannelMajor.NotRegistered _ -> state("not-registered");
            case ChannelMajor.Unknown(String detail) -> state("unknown", DETAIL, detail);
        };
    }

    private static ObjectNode node(ChannelNode node) {
        return switch (node) {
            case ChannelNode.Absent _ -> state("absent");
            case ChannelNode.Present(int major, int minor, int mode) ->
                state("present")
                        .put("major", major)
                        .put("minor", minor)
                        .put("mode", String.format(Locale.ROOT, "%04o", mode));
            case ChannelNode.Unusable(String detail) -> state("unusable", DETAIL, detail);
        };
    }

    private static ObjectNode gpu(Gpu gpu) {
        ObjectNode document = NODES.objectNode()
                .put("index", gpu.index())
                .put("name", gpu.name())
                .put("uuid", gpu.uuid());
        gpu.pci().ifPresent(pci -> document.put("pci", pci.toString()));
        document.set("fabric", fabric(gpu.fabric()));
        document.set("health", health(gpu.health()));
        return document;
    }

    private static ObjectNode xids(XidHistory history) {
        ObjectNode document =
                NODES.objectNode().put("heardSince", history.since().toString());
        ArrayNode heard = document.putArray("heard");
        for (XidHistory.Heard xid : history.heard()) {
            ObjectNode entry = heard.addObject();
            xid.gpu().ifPresent(gpu -> entry.put("gpu", gpu));
            entry.put("xid", xid.number())
                    .put("of", xid.cause().name().toLowerCase(Locale.ROOT))
                    .put("count", xid.count())
                    .put("first", xid.first().toString())
                    .put("last", xid.last().toString());
        }
        return document;
    }

    private static ObjectNode health(GpuHealth health) {
        ObjectNode document = NODES.objectNode();
        if (!health.fabric().isEmpty()) {
            ObjectNode bits = document.putObject("fabric");
            health.fabric().forEach(bit -> bits.put(bit.name(), bit.value()));
        }
        health.summary().ifPresent(summary -> document.put("fabricSummary", summary));
        health.recoveryAction().ifPresent(action -> document.put("recoveryAction", action));
        return document;
    }

    private static ObjectNode fabric(Gpu.Fabric fabric) {
        return switch (fabric) {
            case Gpu.Fabric.NotSupported _ -> state("not-supported");
            case Gpu.Fabric.Registering(String state) -> state("registering", DETAIL, state);
            case Gpu.Fabric.Registered registered -> {
                ObjectNode document = state("registered");
                registered.clique().ifPresent(clique -> document.put("clique", clique.text()));
                ArrayNode unhealthy = document.putArray("unhealthy");
                registered.unhealthy().forEach(unhealthy::add);
                yield document;
            }
            case Gpu.Fabric.Failed(String reason) -> state("failed", REASON, reason);
            case Gpu.Fabric.Unknown(String reason) -> state("unknown", REASON, reason);
        };
    }

    private static ObjectNode finding(Finding finding) {
        return NODES.objectNode()
                .put("code", finding.code())
                .put("severity", finding.severity().name().toLowerCase(Locale.ROOT))
                .put("message", finding.message())
                .put("remedy", finding.remedy());
    }

    private static ObjectNode state(String name) {
        return NODES.objectNode().put("state", name);
    }

    private static ObjectNode state(String name, String member, String value) {
        return state(name).put(member, value);
    }
}
