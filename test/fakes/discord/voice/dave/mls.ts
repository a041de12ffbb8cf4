import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { concat, vector } from './tls.ts';

/** What DAVE 1 takes of MLS (daveprotocol.com, "MLS Parameters"; numbers of RFC 9420, section 17). */
export const MLS_10 = 1;
export const CIPHERSUITE = 2;
export const PUBLIC_MESSAGE = 1;
export const BASIC_CREDENTIAL = 1;
export const ADD = 1;
export const REMOVE = 3;
/** Kinds of content and of senders of a framed message (section 6). */
export const PROPOSAL = 2;
export const COMMIT = 3;
export const MEMBER = 1;
export const EXTERNAL = 2;

const labelled = (label: string, content: Uint8Array): Buffer =>
  concat(vector(Buffer.from(`MLS 1.0 ${label}`)), vector(content));

/** Names a proposal or a key package, as hex (section 5.2). */
export const referenceOf = (kind: 'Proposal' | 'KeyPackage', value: Uint8Array): string =>
  createHash('sha256')
    .update(labelled(`${kind} Reference`, value))
    .digest('hex');

export interface Signer {
  /** An uncompressed point of P-256: 65 bytes. */
  readonly publicKey: Buffer;
  /** `SignWithLabel` of section 5.1.2. */
  sign(label: string, content: Uint8Array): Buffer;
}

export const createSigner = (): Signer => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  return {
    publicKey: concat(Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')),
    sign: (label, content) => sign('sha256', labelled(label, content), privateKey),
  };
};

/** `VerifyWithLabel` of section 5.1.2; false also for what is no point of P-256. */
export const isSignedBy = (
  publicKey: Uint8Array,
  label: string,
  content: Uint8Array,
  signature: Uint8Array,
): boolean => {
  if (publicKey.length !== 65 || publicKey[0] !== 4) return false;
  const coordinate = (from: number): string =>
    Buffer.from(publicKey.subarray(from, from + 32)).toString('base64url');
  try {
    const jwk = { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) };
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    return verify('sha256', labelled(label, content), key, signature);
  } catch {
    return false;
  }
};
