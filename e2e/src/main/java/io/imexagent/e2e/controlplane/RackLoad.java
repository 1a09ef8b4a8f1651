package io.imexagent.e2e.controlplane;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.imexagent.testing.api.ApiDouble;
import io.imexagent.testing.api.Fixtures;
import io.imexagent.testing.api.object.Json;

/** Nodes of racks at an API double, as they look in a cluster with much to say of them. */
final class RackLoad {

    /** What a kubelet and a problem detector tell of a node. */
    private static final int CONDITIONS = 13;

    private static final int HOLDS = 2;

    private RackLoad() {}

    /** A node that holds two ComputeDomains in its clique: its Node and its NVLinkNode. */
    static void apply(ApiDouble api, int number, int clique) {
        String name = "tray-%05d".formatted(number);
        ObjectNode node = Fixtures.node(name, Fixtures.uid(10_000_000 + number));
        ArrayNode conditions = node.withObject("/status").putArray("conditions");
        for (int i = 0; i < CONDITIONS; i++) {
            conditions
                    .addObject()
                    .put("type", i == 0 ? "Ready" : "KernelProblemOfSomeKind" + i)
                    .put("status", i == 0 ? "True" : "False")
                    .put("reason", "NothingIsWrong")
                    .put("message", "what the detector looks for was not found in the kernel's log");
        }
        api.apply(node);
        String id = "c4a1f0de-5b72-4e09-9d36-%012x.1".formatted(clique);
        ObjectNode object = Json.literal("""
                {"apiVersion":"imexagent.io/v1alpha1","kind":"NVLinkNode",
                 "metadata":{"name":"%s","finalizers":["imexagent.io/holds"],"labels":{"clique.imexagent.io/%s":""}},
                 "spec":{"session":"f87f843e-96a2-4457-b9f7-a77c468fcaff","write":7,"cliques":["%s"],
                  "bootID":"f87f843e-96a2-4457-b9f7-a77c468fcaff","imexChannelCount":2048,"holds":[]},
                 "status":{"clique":"%s","driver":"580.95.05","gpus":4,"imex":"ready",
                  "imexSince":"2026-07-28T08:00:00Z","peers":"18/18"}}""".formatted(name, id, id, id));
        for (int hold = 0; hold < HOLDS; hold++) {
            int domain = clique * HOLDS + hold;
            object.withArray("/spec/holds")
                    .addObject()
                    .put("computeDomain", Fixtures.uid(domain))
                    .put("namespace", "team-%02d".formatted(domain % 50))
                    .put("name", "training-" + domain)
                    .put("channel", 1 + hold);
        }
        api.apply(object);
    }
}
