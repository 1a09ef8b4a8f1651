package io.imexagent.agent.runtime;

import io.imexagent.agent.cli.Collaborators;
import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.log.Logging;
import io.imexagent.cdi.CdiDirectory;
import io.imexagent.checkpoint.FileCheckpointStore;
import io.imexagent.checkpoint.KubeletClaims;
import io.imexagent.checkpoint.LoadOutcome;
import io.imexagent.checkpoint.PluginLock;
import io.imexagent.core.ledger.ClaimEntry;
import io.imexagent.core.ledger.Ledger;
import io.imexagent.dra.claim.ClaimGuard;
import io.imexagent.dra.claim.ClaimPlanner;
import io.imexagent.dra.claim.PreparedClaims;
import io.imexagent.dra.recovery.Sighting;
import io.imexagent.files.FileSteps;
import io.imexagent.kubernetes.ApiObserver;
import io.imexagent.kubernetes.access.ClusterAccess;
import io.imexagent.kubernetes.client.HttpKubernetesApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Forgets claims in the files of this node, whether the daemon runs or not, as an unprepare would: under the plugin's lock,
 * the CDI file first. A daemon that runs takes over what was saved.
 */
final class ClaimForgetter implements Collaborators.ForgetSource {

    private final ThisProcess process;
    private final Predicate<String> journal;

    /**
     * A forgetter.
     *
     * @param journal leaves a line in the journal, and tells whether it was taken
     */
    ClaimForgetter(ThisProcess process, Predicate<String> journal) {
        this.process = process;
        this.journal = journal;
    }

    @Override
    public Collaborators.Witnesses ask(AgentConfig config, ClaimEntry entry) {
        Logging.start(AgentConfig.LogLevel.WARN, false);
        try (var api = new HttpKubernetesApi(
                ClusterAccess.of(config.get(ConfigKeys.KUBECONFIG)),
                "imex-agent-claims",
                process.clock(),
                process.random(),
                ApiObserver.NONE)) {
            return new Collaborators.Witnesses(
                    entry.name()
                            .map(name -> Sighting.of(api.claims(), name, entry.uid()))
                            .orElseGet(() -> new Sighting.Untold("the claim's name was not recorded")),
                    KubeletClaims.read(config.get(ConfigKeys.KUBELET_ROOT)));
        }
    }

    @Override
    public Collaborators.Forgotten forget(AgentConfig config, String driver, ClaimEntry entry)
            throws IOException, InterruptedException {
        LocalClaims.Kept kept = LocalClaims.kept(driver);
        var store = new FileCheckpointStore(
                AgentPaths.plugin(config, driver), kept.format(), process.clock(), FileSteps.ALL_PASS);
        try (var lock = new PluginLock(AgentPaths.lock(config, driver))) {
            var claims = new PreparedClaims(
                    store,
                    ClaimGuard.NONE,
                    new CdiDirectory(config.get(ConfigKeys.CDI_DIRECTORY), kept.kind()),
                    lock,
                    ServedDrivers.LOCK_PATIENCE,
                    process.effects());
            claims.opening(session -> {
                session.open(whole(AgentPaths.plugin(config, driver), kept));
                refuseWhatHasChanged(config, session.ledger(), entry);
                session.run(ClaimPlanner.unprepare(
                        entry.uid(), session.ledger(), process.clock().instant()));
                return true;
            });
        }
        String line =
                "claim forgotten claim=" + entry.name().map(Object::toString).orElse("-") + " uid=" + entry.uid()
                        + " driver=" + driver + " by=" + who();
        return new Collaborators.Forgotten(line, journal.test(line));
    }

    /** A record that is not whole is mended by whoever serves with it; to guess here could lose other claims. */
    private static Ledger whole(Path plugin, LocalClaims.Kept kept) throws IOException {
        if (FileCheckpointStore.look(plugin, kept.format()) instanceof LoadOutcome.Loaded loaded) {
            return loaded.ledger();
        }
        throw new IOException(plugin.resolve(kept.format().fileName())
                + " is missing or broken; start imex-agent, which mends it, and try again");
    }

    private static void refuseWhatHasChanged(AgentConfig config, Ledger ledger, ClaimEntry entry) throws IOException {
        boolean same = ledger.entry(entry.uid()).equals(Optional.of(entry));
        boolean kubelets = KubeletClaims.read(config.get(ConfigKeys.KUBELET_ROOT))
                .has(entry.uid())
                .orElse(false);
        if (!same || kubelets) {
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
