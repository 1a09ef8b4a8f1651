package io.imexagent.imex.health;

import io.imexagent.imex.health.DaemonHealth.DaemonCondition;
import io.imexagent.imex.health.ImexReading.Applicability;
import io.imexagent.imex.health.Verdict.VerdictLevel;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** The verdict over daemon and domain, with its likely cause and the next step. The daemon's state decides first. */
record Verdicts(ImexReading reading, DaemonHealth daemon, DomainVerdicts domain) {

    private static final Set<DaemonCondition> RESTING = EnumSet.of(
            DaemonCondition.NOT_INSTALLED,
            DaemonCondition.MASKED,
            DaemonCondition.BAD_UNIT_FILE,
            DaemonCondition.INACTIVE,
            DaemonCondition.SKIPPED,
            DaemonCondition.BLOCKED,
            DaemonCondition.FAILED);

    Verdict verdict() {
        Verdict verdict = judged();
        // A daemon that does not run is down only if it should run, as one that is enabled and failed should.
        return reading.setting().applicability() instanceof Applicability.UnknownApplicability(String reason)
                        && RESTING.contains(daemon.state())
                        && reading.unit().state() != UnitState.ActiveState.FAILED
                ? new Verdict(
                        VerdictLevel.UNKNOWN,
                        verdict.code(),
                        verdict.summary(),
                        "cannot tell whether this node needs it: " + reason,
                        "see what 'imex-agent probe' says")
                : verdict;
    }

    private Verdict judged() {
        return switch (daemon.state()) {
            case NOT_APPLICABLE ->
                new Verdict(VerdictLevel.NOT_APPLICABLE, "not-applicable", "IMEX not applicable", daemon.detail(), "");
            case NOT_INSTALLED ->
                down(
                        "not installed",
                        reading.installed()
                                ? "files of nvidia-imex are there, and systemd knows no nvidia-imex.service"
                                : "the node takes part in an NVLink fabric and has no nvidia-imex",
                        (reading.installed() ? "systemctl daemon-reload; where that does not help, " : "")
                                + "install the package nvidia-imex in the driver's version, write nodes_config.cfg, and"
                                + " start the service");
            case MASKED ->
                down(
                        "masked",
                        "an administrator masked nvidia-imex.service, as driver-managed IMEX needs it",
                        UnitFileState.masked(daemon.detail()).remedy()
                                + ", where the host is to run it; otherwise switch HostManagedIMEX off");
            case BAD_UNIT_FILE ->
                down(
                        "has a bad unit file",
                        "systemd cannot load nvidia-imex.service: " + daemon.detail(),
                        daemon.detail().contains("(not-found)")
                                ? "install the package nvidia-imex again, then systemctl daemon-reload and systemctl"
                                        + " restart nvidia-imex"
                                : "see what 'systemd-analyze verify nvidia-imex.service' says, correct the file or its"
                                        + " drop-ins, then systemctl daemon-reload and systemctl restart nvidia-imex");
            case INACTIVE -> inactive(UnitFileState.of(daemon.detail()));
            case SKIPPED ->
                down(
                        "skipped",
                        "a condition of the unit, such as the gate of imex-agent, kept it from starting",
                        "see what 'imex-agent gate' says; where it is eligible now, systemctl start nvidia-imex");
            case BLOCKED ->
                down(
                        "not started",
                        daemon.detail(),
                        "look at 'systemctl status nvidia-imex' and 'systemctl list-dependencies nvidia-imex', correct"
                                + " the cause, then systemctl start nvidia-imex");
            case FAILED ->
                down(
                        "failed",
                        ServiceResult.cause(daemon.detail())
                                + restarted(", after systemd had restarted it ")
                                + obstacle(),
                        correct(daemon.detail()));
            case CRASH_LOOP ->
                down(
                        "in a crash loop",
                        loop()
                                + restarted(", and systemd has restarted it ")
                                + (restarts() == 0 ? ", and systemd is about to restart it" : "")
                                + obstacle(),
                        correct(daemon.detail()));
            case STARTING ->
                down(
                        "starting",
                        daemon.detail(),
                        reading.unit().detail().equals("queued")
                                ? "wait; if it lasts, 'systemctl list-jobs' shows what it waits for"
                                : "wait; if it lasts, look at /var/log/nvidia-imex.log");
            case WAITING_FOR_PEERS ->
                domain.ofWaiting(down(
                        "WAITING_FOR_PEERS",
                        "other nodes of nodes_config.cfg are not there yet" + domain.waitedFor(),
                        domain.nextStepOfWaiting()));
            case WAITING_FOR_RECOVERY ->
                down(
                        "WAITING_FOR_RECOVERY",
                        "nodes that were lost have not cleaned up yet" + domain.waitedFor(),
                        "wait; if it lasts, drain the named nodes and restart nvidia-imex there");
            case STOPPING ->
                daemon.detail().isEmpty()
                        ? down(
                                "stopping",
                                "the service was stopped",
                                "if that was not intended, systemctl start nvidia-imex once it has stopped")
                        : down("stopping", ServiceResult.cause(daemon.detail()), correct(daemon.detail()));
            case UNREACHABLE -> unreachable();
            case NOT_READY -> down(daemon.detail(), "the daemon is not READY", "look at /var/log/nvidia-imex.log");
            case UNKNOWN -> unknown();
            case READY -> domain.verdict();
        };
    }

    private Verdict inactive(UnitFileState file) {
        String word = file == UnitFileState.ENABLED || daemon.detail().isEmpty() ? "" : " (" + daemon.detail() + ")";
        return down("inactive", file.meaning() + word, file.remedy());
    }

    private Verdict unreachable() {
        UnitState unit = reading.unit();
        boolean known = unit.state() == UnitState.ActiveState.ACTIVE;
        String runs = unit.detail().equals("exited") ? "its unit is active without a process" : "its unit runs";
        return down(
                "does not answer",
                (known ? runs : "whether its unit runs is not known") + ", and " + daemon.detail(),
                known
                        ? "look at /var/log/nvidia-imex.log; restart nvidia-imex once the node is drained"
                        : "look at 'systemctl status nvidia-imex' and /var/log/nvidia-imex.log on the host");
    }

    /** The result of the last run, or the stage of the current one, a clause. */
    private String loop() {
        return daemon.detail().isEmpty()
                ? reading.local()
                        .answer()
                        .map(state -> "it is " + state.word() + " once more")
                        .orElse("it does not answer")
                : ServiceResult.cause(daemon.detail());
    }

    private int restarts() {
        return reading.unit().facts().restarts();
    }

    private String restarted(String clause) {
        return restarts() == 0 ? "" : clause + HealthPlanner.times(restarts());
    }

    private static String correct(String result) {
        return ServiceResult.of(result).advice() + ", correct the cause, then systemctl restart nvidia-imex";
    }

    /** The likely reason why the daemon does not run; empty if its files exist. */
    private String obstacle() {
        return FileNotes.obstacle(reading.files()).map(what -> "; " + what).orElse("");
    }

    private Verdict unknown() {
        Optional<CommandService.Silence> silence = reading.silence();
        return new Verdict(
                VerdictLevel.UNKNOWN,
                silence.isPresent() ? "command-service-off" : "unknown",
                "the state of nvidia-imex is unknown",
                daemon.detail(),
                silence.map(off -> off.remedy() + " in config.cfg, then restart nvidia-imex once the node is drained")
                        .orElseGet(this::nextStepOfUnknown));
    }

    private String nextStepOfUnknown() {
        String byHand = "run 'nvidia-imex-ctl -q' by hand";
        String advice = byHand + ", and look at /var/log/nvidia-imex.log";
        return switch (reading.local()) {
            case QueryResult.QueryAnswered<?> _ -> advice;
            case QueryResult.QueryFailed<?>(QueryResult.Failure failure, var _) ->
                switch (failure) {
                    case NO_CONFIGURATION ->
                        FileNotes.configurationRemedy(reading.files().configuration());
                    case HUNG ->
                        byHand + "; where it ends later, raise imex.health.timeout, and where it does not, look at"
                                + " /var/log/nvidia-imex.log";
                    case NOT_STARTED -> "see that the file that imex.health.tool names exists and may be executed";
                    case UNREADABLE, FLOODED ->
                        byHand + "; see that nvidia-imex and nvidia-imex-ctl have one version, or upgrade imex-agent";
                    case NOT_ASKED, UNREACHABLE, NO_NODES_FILE, ERROR -> advice;
                };
        };
    }

    private Verdict down(String state, String cause, String nextStep) {
        return new Verdict(VerdictLevel.DOWN, daemon.state().text(), "nvidia-imex " + state, cause, nextStep);
    }
}
