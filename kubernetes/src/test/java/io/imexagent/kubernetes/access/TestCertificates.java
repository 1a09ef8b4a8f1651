package io.imexagent.kubernetes.access;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate authority for tests, with a server's certificate for 127.0.0.1. Made by the JDK's keytool. */
public final class TestCertificates {

    private static final String PASSWORD = "changeit";

    private final Path store;

    private TestCertificates(Path store) {
        this.store = store;
    }

    /** Makes an authority and a server certificate. */
    public static TestCertificates make(Path folder) throws IOException, InterruptedException {
        var made = new TestCertificates(Files.createTempFile(folder, "store", ".p12"));
        Files.delete(made.store);
        made.keytool("-alias", "ca", "-dname", "CN=test authority", "-ext", "bc:c");
        made.keytool("-alias", "server", "-dname", "CN=server", "-signer", "ca", "-ext", "san=ip:127.0.0.1");
        return made;
    }

    /** Writes the authority's certificate. */
    public Path writeAuthority(Path file) throws IOException, GeneralSecurityException {
        return Files.writeString(
                file, pem("CERTIFICATE", load().getCertificate("ca").getEncoded()));
    }

    /** Makes a client certificate with this common name, and writes it with its key, as the kubelet does. */
    public Path writeClient(String name, Path file) throws IOException, InterruptedException, GeneralSecurityException {
        String alias = "client-" + System.nanoTime();
        keytool("-alias", alias, "-dname", "CN=" + name, "-signer", "ca");
        KeyStore loaded = load();
        var text = new StringBuilder();
        for (Certificate certificate : loaded.getCertificateChain(alias)) {
            text.append(pem("CERTIFICATE", certificate.getEncoded()));
        }
        text.append(
                pem("PRIVATE KEY", loaded.getKey(alias, PASSWORD.toCharArray()).getEncoded()));
        return Files.writeString(file, text);
    }

    /** The context of a server with this authority. */
    public SSLContext serverContext() throws IOException, GeneralSecurityException {
        KeyStore keys = load();
        KeyStore own = KeyStore.getInstance("PKCS12");
        own.load(null, null);
        char[] password = PASSWORD.toCharArray();
        own.setKeyEntry("server", keys.getKey("server", password), password, keys.getCertificateChain("server"));
        KeyManagerFactory keyManagers = KeyManagerFactory.getInstance("PKIX");
        keyManagers.init(own, password);
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("ca", keys.getCertificate("ca"));
        TrustManagerFactory trustManagers = TrustManagerFactory.getInstance("PKIX");
        trustManagers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keyManagers.getKeyManagers(), trustManagers.getTrustManagers(), null);
        return context;
    }

    private KeyStore load() throws IOException, GeneralSecurityException {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = new FileInputStream(store.toFile())) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    private void keytool(String... arguments) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("keytool: " + said);
        }
    }

    private static String pem(String label, byte[] der) {
        return "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + label
                + "-----\n";
    }
}
