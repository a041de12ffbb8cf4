import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tls from 'node:tls';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../fixtures/voice/${name}`, import.meta.url));

/** For NODE_EXTRA_CA_CERTS of programs that shall join the fake's channels. */
export const VOICE_CERTIFICATE_PATH: string = fixture('certificate.pem');

/** Of the voice servers, for 127.0.0.1. Made for tests: it protects nothing. */
export const voiceCertificate = (): { readonly cert: string; readonly key: string } => ({
  cert: readFileSync(VOICE_CERTIFICATE_PATH, 'utf8'),
  key: readFileSync(fixture('key.pem'), 'utf8'),
});

let trusted = false;

/** Makes this process trust the voice servers beside all that it trusts already; once is enough. */
export const trustVoiceServers = (cert: string): void => {
  if (trusted) return;
  trusted = true;
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), cert]);
};
