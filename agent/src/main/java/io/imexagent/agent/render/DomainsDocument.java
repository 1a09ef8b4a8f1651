package io.imexagent.agent.render;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.controller.report.ClusterReport;

/** ComputeDomains as JSON: of the command {@code domains}, and of the controller's page. */
public final class DomainsDocument {

    private DomainsDocument() {}

    /** The document. */
    public static ObjectNode of(ClusterReport report) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        ArrayNode array = document.putArray("domains");
        for (ClusterReport.Domain domain : report.domains()) {
            ObjectNode one = array.addObject()
                    .put("namespace", domain.namespace())
                    .put("name", domain.name())
                    .put("uid", domain.uid())
                    .put("ready", domain.ready())
                    .put("deleting", domain.deleting());
            domain.channel().ifPresent(channel -> one.put("channel", channel.number()));
            one.put("template", domain.template()).put("claims", domain.claims());
            ArrayNode nodes = one.putArray("nodes");
            domain.nodes().forEach(nodes::add);
            ArrayNode wrong = one.putArray("wrong");
            domain.wrong().forEach(wrong::add);
        }
        ArrayNode left = document.putArray("channelsOfGoneDomains");
        for (ClusterReport.LeftChannel channel : report.left()) {
            ObjectNode one =
                    left.addObject().put("channel", channel.channel().number()).put("lastOf", channel.owner());
            channel.restsUntil().ifPresent(until -> one.put("restsUntil", until.toString()));
            ArrayNode wrong = one.put("claims", channel.claims()).putArray("wrong");
            channel.wrong().forEach(wrong::add);
        }
        return document;
    }
}
