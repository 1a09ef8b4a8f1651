package io.imexagent.agent.runtime;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.http.Condition;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.PrepareSettings;
import io.imexagent.dra.claim.ThreadTimer;
import io.imexagent.dra.recovery.BackupPlanner;
import io.imexagent.dra.worker.Lane;
import io.imexagent.rdma.dra.RailDriver;
import io.imexagent.rdma.probe.RootedFiles;
import io.imexagent.rdma.rails.ArpHook;
import io.imexagent.rdma.rails.RailBoard;
import io.imexagent.rdma.rails.RailFactsGatherer;
import io.imexagent.rdma.rails.RailRules;
import io.imexagent.rdma.rails.RuntimeProbe;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

/**
 * What an agent does with RDMA NICs under {@code rdma.enabled}: the second DRA driver of the process, whether the first
 * one serves or not.
 */
final class ServingRails implements Part {

    private final LookingAfterRdma looking;
    private final Observing observing;
    private final SoleAgent sole;
    private final ThreadTimer timer = new ThreadTimer("rails-settle");
    private final RailBoard board;
    private final ServedDriver driver;

    ServingRails(Supplier<AgentConfig> config, ThisProcess process, Observing observing, LookingAfterRdma looking) {
        this.looking = looking;
        this.observing = observing;
        AgentConfig first = config.get();
        this.sole = new SoleAgent(Places.plugin(first, RailDriver.NAME));
        this.board = new RailBoard(
                looking.watch()::current,
                this::ledger,
                () -> config.get().rdma().rails(),
                first.get(ConfigKeys.NODE_NAME),
                process.clock(),
                timer);
        var runtime = new RuntimeProbe(() -> config.get().rdma().rails().runtime(), ArpHook.INSTALLED);
        var rules = new RailRules(
                looking.watch(),
                () -> config.get().rdma(),
                first.get(ConfigKeys.NODE_NAME),
                new RootedFiles(first.get(ConfigKeys.HOST_ROOT)),
                runtime);
        this.driver = new ServedDriver(
                first,
                process,
                observing,
                new ServedDriver.Driver(
                        RailDriver.NAME,
                        "rails",
                        RailRules.KIND,
                        RailRules.RECORD,
                        RailRules.WORDS,
                        ClaimGuard.NONE,
                        new BackupPlanner(RailRules.promise(first.get(ConfigKeys.NODE_NAME))),
                        new RailFactsGatherer(
                                observing.api().claims(),
                                observing.api().pods(),
                                first.get(ConfigKeys.NODE_NAME),
                                runtime),
                        rules,
                        PrepareSettings.answeringWithin(first.get(ConfigKeys.ANSWER_WITHIN))),
                new ServedDriver.Shown(
                        board::wanted,
                        board::onChange,
                        board,
                        observing.metrics().rails()));
    }

    /**
     * Starts: the claims of the last life first, then what the kubelet can call, then what the scheduler sees.
     *
     * @throws IOException where the agent must not serve here; the message says what to do
     */
    void start() throws IOException, InterruptedException {
        driver.refuseOthers();
        sole.begin();
        driver.recover(observing.inventory().current().bootId());
        driver.onLedger(board::look);
        looking.watch().onChange(changed -> board.look());
        board.look();
        observing.metrics().showRails(board::count);
        driver.serve(() -> {});
    }

    /** Follows a configuration that was reloaded. */
    void follow() {
        board.look();
        driver.wake();
    }

    /** What must hold for the node to serve its rails. */
    List<Condition> conditions() {
        return driver.conditions().stream()
                .map(condition -> new Condition("rdma-" + condition.name(), condition.holds(), condition.detail()))
                .toList();
    }

    /** The lane of claims for rails. */
    Lane lane() {
        return driver.lane();
    }

    @Override
    public void stop(Deadline deadline) throws InterruptedException {
        timer.close();
        driver.stop(deadline);
        sole.close();
    }

    private Ledger ledger() {
        return driver.ledger();
    }
}
