package io.imexagent.testing.api.tls;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A certificate together with its private key.
 *
 * @param bundle the certificate, its key, and the authority that issued it
 * @param keyPem the private key as PEM, in the form that was asked for
 */
public record IssuedCertificate(X509Bundle bundle, String keyPem) {

    /** The certificate as PEM, without its authority's. */
    public String certificatePem() {
        return bundle.getCertificatePEM();
    }

    /**
     * Writes certificate and key into one file, as the kubelet does in {@code kubelet-client-current.pem}; a file that
     * is there is replaced at once, as the kubelet does when it rotates.
     */
    public void writePem(Path file) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(temporary, certificatePem() + keyPem);
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public String toString() {
        return "IssuedCertificate[" + bundle.getCertificate().getSubjectX500Principal() + "]";
    }
}
