package io.imexagent.agent.runtime;

import io.imexagent.agent.http.Condition;
import io.imexagent.agent.http.StatusPages;
import io.imexagent.agent.lane.Lane;
import io.imexagent.agent.render.Documents;
import io.imexagent.agent.render.InventoryDocument;
import io.imexagent.core.inventory.NodeInventory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The pages of the HTTP server, over the parts of the agent. */
final class Pages implements StatusPages {

    /** The files of a claim are written in milliseconds, the lock is waited for 10 s: longer, and the disk hangs. */
    private static final Duration STUCK = Duration.ofSeconds(60);

    /** The inventory is read at an interval; several missed ones mean that nobody reads it any more. */
    private static final int MISSED = 4;

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
        return Documents.json(InventoryDocument.of(observing.inventory().current()));
    }

    @Override
    public List<Condition> liveness() {
        var conditions = new ArrayList<Condition>();
        conditions.add(inventoryRead());
        serving.ifPresent(part -> conditions.add(progress(part.lane())));
        rails.ifPresent(part -> conditions.add(progress(part.lane())));
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
        NodeInventory inventory = observing.inventory().current();
        Duration age = observing.inventory().age();
        boolean fresh = age.compareTo(observing.interval().multipliedBy(MISSED).plus(STUCK)) < 0;
        return new Condition(
                "inventory",
                fresh,
                "read " + age.toSeconds() + " s ago, " + inventory.findings().size() + " findings");
    }

    private static Condition progress(Lane lane) {
        Optional<Duration> busy = lane.busyFor();
        boolean moving = busy.isEmpty() || busy.get().compareTo(STUCK) < 0;
        return new Condition(
                "lane-" + lane.name(),
                moving,
                moving
                        ? lane.waiting() + " tasks wait"
                        : "a task runs for " + busy.get().toSeconds() + " s");
    }
}
