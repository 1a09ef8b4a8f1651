package io.imexagent.agent.cli;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.FileCheckpointStore.LoadOutcome;
import io.imexagent.checkpoint.KubeletClaims;
import io.imexagent.checkpoint.PluginLock;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.ClaimHost;
import io.imexagent.dra.claim.ClaimPlanner;
import io.imexagent.dra.claim.PreparedClaims;
import io.imexagent.dra.claim.PreparedClaims.EffectListener;
import io.imexagent.dra.recovery.ClaimPresence;
import io.imexagent.files.FileSteps;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.KubernetesApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Removes claims from the files of this node, whether the daemon runs or not, in the same way as an unprepare: under
 * the plugin's lock, the CDI file first. A running daemon takes over the saved checkpoint.
 */
record ClaimForgetter(AgentConfig config, ThisProcess process) {

    ClaimPresence askServer(ClaimEntry entry) {
        try (KubernetesApi api = process.api(config, "imex-agent-claims", ApiObserver.NONE)) {
            return entry.name()
                    .map(name -> ClaimPresence.of(api.claims(), name, entry.uid()))
                    .orElseGet(() -> new ClaimPresence.PresenceUnknown("the claim's name was not recorded"));
        }
    }

    KubeletClaims askKubelet() {
        return KubeletClaims.read(config.kubelet().root());
    }

    /**
     * Removes the claim from this node, unless the claim or the kubelet's record of it has changed since it was shown.
     * Returns a line for the journal: what was done and by whom. A failure states the reason and the remedy.
     */
    String forget(ClaimRecords.RecordedDriver driver, ClaimEntry entry, KubeletClaims shown)
            throws IOException, InterruptedException {
        Path plugin = config.kubelet().plugin(driver.name());
        var store = new FileCheckpointStore(plugin, driver.format(), process.clock(), FileSteps.ALL_PASS);
        try (var lock = new PluginLock(plugin.resolve(ClaimHost.LOCK))) {
            var claims = new PreparedClaims(
                    store,
                    ClaimGuard.NONE,
                    new CdiDirectory(config.cdiDirectory(), driver.kind()),
                    lock,
                    LocalHost.LOCK_PATIENCE,
                    EffectListener.NONE);
            claims.opening(session -> {
                session.open(whole(plugin, driver));
                refuseWhatHasChanged(session.ledger(), entry, shown);
                session.run(ClaimPlanner.unprepare(entry, process.clock().instant()));
                return true;
            });
        }
        return "claim forgotten claim=" + entry.name().map(Object::toString).orElse("-") + " uid=" + entry.uid()
                + " driver=" + driver.name() + " by=" + who();
    }

    /** Reads a complete record. The serving agent repairs an incomplete one; a guess here could lose other claims. */
    private static Ledger whole(Path plugin, ClaimRecords.RecordedDriver driver) throws IOException {
        if (FileCheckpointStore.inspect(plugin, driver.format()) instanceof LoadOutcome.LoadedCheckpoint loaded) {
            return loaded.ledger();
        }
        throw new IOException(plugin.resolve(driver.format().fileName())
                + " is missing or broken; start imex-agent, which repairs it, and try again");
    }

    private void refuseWhatHasChanged(Ledger ledger, ClaimEntry entry, KubeletClaims shown) throws IOException {
        boolean same = ledger.entry(entry.uid()).equals(Optional.of(entry));
        if (!same || !askKubelet().has(entry.uid()).equals(shown.has(entry.uid()))) {
            throw new IOException(
                    "claim " + entry.uid() + " has changed meanwhile, nothing of it was forgotten; look at"
                            + " it again: imex-agent claims show " + entry.uid());
        }
    }

    private String who() throws IOException {
        String uid = "uid:" + Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        return Optional.ofNullable(process.environment().get("SUDO_USER"))
                .map(user -> user + " as " + uid)
                .orElse(uid);
    }
}
