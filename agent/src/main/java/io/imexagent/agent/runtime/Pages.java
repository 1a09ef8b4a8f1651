package io.imexagent.agent.runtime;

import io.imexagent.agent.http.StatusPages;
import io.imexagent.agent.render.Documents;
import io.imexagent.core.check.Condition;
import io.imexagent.imex.document.InventoryDocument;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The pages of the HTTP server, over the parts of the agent. */
final class Pages implements StatusPages {

    private final Observing observing;
    private final Watching watching;
    private final Optional<Serving> serving;
    private final Optional<ServingRails> rails;

    Pages(Observing observing, Watching watching, Optional<Serving> serving, Optional<ServingRails> rails) {
        this.observing = observing;
        this.watching = watching;
        this.serving = serving;
        this.rails = rails;
    }

    @Override
    public String metrics() {
        return observing.metrics().page();
    }

    @Override
    public String inventory() {
        return Documents.json(InventoryDocument.of(observing.inventory().current(), watching.xids()));
    }

    @Override
    public List<Condition> liveness() {
        var conditions = new ArrayList<Condition>();
        conditions.add(inventoryRead());
        serving.ifPresent(part -> conditions.add(Liveness.of(part.lane())));
        rails.ifPresent(part -> conditions.add(Liveness.of(part.lane())));
        return conditions;
    }

    @Override
    public List<Condition> readiness() {
        var conditions = new ArrayList<Condition>();
        conditions.add(inventoryRead());
        serving.ifPresent(part -> conditions.addAll(part.conditions()));
        rails.ifPresent(part -> conditions.addAll(part.conditions()));
        conditions.add(watching.condition());
        return conditions;
    }

    private Condition inventoryRead() {
        return Liveness.ofReadings(
                observing.inventory().age(),
                observing.interval(),
                observing.inventory().current().findings().size());
    }
}
