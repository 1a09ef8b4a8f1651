package io.imexagent.testing.api.object;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** NVLinkNodes: the schema of their definition. */
final class NvlinkNodeRules implements ObjectRules {
    /** A UUID as the API server writes UIDs. */
    static final Pattern UID = Pattern.compile("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$");

    static final Pattern CLIQUE = Pattern.compile("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}[.](0|[1-9][0-9]{0,9})$");

    @Override
    public Shape shape() {
        return Shapes.NVLINK_NODE;
    }

    @Override
    public List<Cause> check(ObjectNode object) {
        var node = new SchemaCheck(object, "", new ArrayList<>());
        node.required("spec")
                .in("spec")
                .required("session", "write", "cliques", "holds")
                .text("session", 1, 64)
                .whole("write", 0, Long.MAX_VALUE)
                .text("bootID", 1, 64)
                .whole("imexChannelCount", 0, 65536)
                .items("cliques", 8, "", NvlinkNodeRules::clique)
                .items("holds", 1024, "computeDomain", hold -> domain(hold).whole("channel", 0, 1048575));
        node.in("status")
                .matching("clique", CLIQUE)
                .text("driver", 0, 64)
                .whole("gpus", 0, Long.MAX_VALUE)
                .text("imex", 0, 64)
                .time("imexSince")
                .text("peers", 0, 32);
        return node.causes();
    }

    private static void clique(SchemaCheck item) {
        if (!CLIQUE.matcher(item.node().asText()).matches()) {
            item.causes()
                    .add(Cause.invalid(
                            item.path(),
                            item.node().toString(),
                            item.path() + " in body should match '" + CLIQUE + "'"));
        }
    }

    /** The fields that name a ComputeDomain. */
    static SchemaCheck domain(SchemaCheck part) {
        return part.required("computeDomain", "namespace", "name")
                .matching("computeDomain", UID)
                .text("namespace", 1, 63)
                .text("name", 1, 253);
    }
}
