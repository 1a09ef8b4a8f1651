package io.imexagent.kubernetes.access;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/** Turns certificates and keys into an SSL context. */
final class TlsMaterial {

    private TlsMaterial() {}

    /** Creates a client's context. Without {@code authorities} those of the system are trusted. */
    static SSLContext context(
            Optional<List<X509Certificate>> authorities, boolean insecure, Optional<ClientIdentity> identity)
            throws AccessException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            KeyManager @Nullable [] keys =
                    identity.map(own -> new KeyManager[] {new OwnKey(own)}).orElse(null);
            context.init(keys, trust(authorities, insecure), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new AccessException("cannot set up TLS: " + e.getMessage(), e);
        }
    }

    private static TrustManager @Nullable [] trust(Optional<List<X509Certificate>> authorities, boolean insecure)
            throws GeneralSecurityException, IOException {
        if (insecure) {
            return new TrustManager[] {new AnyServer()};
        }
        if (authorities.isEmpty()) {
            return null;
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        int index = 0;
        for (X509Certificate authority : authorities.get()) {
            store.setCertificateEntry("authority-" + index++, authority);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(store);
        return factory.getTrustManagers();
    }

    record ClientIdentity(PrivateKey key, List<X509Certificate> chain) {

        ClientIdentity {
            chain = List.copyOf(chain);
        }
    }

    /**
     * The client's only key, offered to every server that requests one. A key store would first derive a key from a
     * password.
     */
    private static final class OwnKey extends X509ExtendedKeyManager {

        private static final String ALIAS = "own";
        private final ClientIdentity own;

        OwnKey(ClientIdentity own) {
            this.own = own;
        }

        private @Nullable String aliasFor(String @Nullable [] keyTypes) {
            boolean fits =
                    keyTypes != null && List.of(keyTypes).contains(own.key().getAlgorithm());
            return fits ? ALIAS : null;
        }

        @Override
        public @Nullable String chooseEngineClientAlias(
                String @Nullable [] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return aliasFor(keyTypes);
        }

        @Override
        public @Nullable String chooseClientAlias(
                String @Nullable [] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return aliasFor(keyTypes);
        }

        @Override
        public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return aliasFor(new String[] {keyType}) == null ? null : new String[] {ALIAS};
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return own.chain().toArray(X509Certificate[]::new);
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return own.key();
        }

        @Override
        public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }
    }

    /** Trusts every server, whatever its host name; used only if the kubeconfig requests it. */
    private static final class AnyServer extends X509ExtendedTrustManager {

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
