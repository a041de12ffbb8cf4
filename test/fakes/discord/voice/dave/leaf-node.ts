import { BASIC_CREDENTIAL, CIPHERSUITE, MLS_10, isSignedBy, referenceOf } from './mls.ts';
import { TlsReader } from './tls.ts';

/** Where a leaf comes from (RFC 9420, section 7.2): a key package, an update or a commit. */
const [FROM_KEY_PACKAGE, FROM_UPDATE, FROM_COMMIT] = [1, 2, 3];

interface LeafNode {
  readonly signatureKey: Buffer;
  /** Whose it is: the credential of a Discord user is the id as 8 bytes. */
  readonly userId: string;
  /** From and until when, of a key package only. */
  readonly lifetime: readonly bigint[];
}

export const readLeafNode = (reader: TlsReader): LeafNode => {
  reader.vector();
  const signatureKey = reader.vector();
  if (reader.u16() !== BASIC_CREDENTIAL) throw new Error('the credential is not a basic one');
  const identity = reader.vector();
  if (identity.length !== 8) throw new Error('the credential is not a user id');
  for (let capability = 0; capability < 5; capability += 1) reader.vector();
  const source = reader.u8();
  const lifetime = source === FROM_KEY_PACKAGE ? [reader.u64(), reader.u64()] : [];
  if (source === FROM_COMMIT) reader.vector();
  else if (source !== FROM_KEY_PACKAGE && source !== FROM_UPDATE)
    throw new Error('the leaf has no known source');
  reader.vector();
  reader.vector();
  return { signatureKey, userId: String(identity.readBigUInt64BE()), lifetime };
};

export interface KeyPackage {
  readonly bytes: Buffer;
  readonly reference: string;
  readonly signatureKey: Buffer;
}

/**
 * Takes what a client offers to be added by (op 26, a bare KeyPackage as libdave and davey send it).
 * Throws for what a voice server refuses (daveprotocol.com, "Key Packages", "Validation").
 */
export const readKeyPackage = (bytes: Uint8Array, userId: string): KeyPackage => {
  const reader = new TlsReader(bytes);
  if (reader.u16() !== MLS_10 || reader.u16() !== CIPHERSUITE)
    throw new Error('the key package is of another version or ciphersuite');
  reader.vector();
  const leaf = readLeafNode(reader);
  reader.vector();
  const signed = reader.since(0);
  const signature = reader.vector();
  if (!reader.done) throw new Error('there are bytes after the key package');
  if (leaf.userId !== userId) throw new Error('the key package is of another user');
  if (leaf.lifetime[0] !== 0n || leaf.lifetime[1] !== 2n ** 64n - 1n)
    throw new Error('the key package does not live for ever');
  const { signatureKey } = leaf;
  if (!isSignedBy(signatureKey, 'KeyPackageTBS', signed, signature))
    throw new Error('the signature of the key package is wrong');
  const whole = Buffer.from(bytes);
  return { bytes: whole, reference: referenceOf('KeyPackage', whole), signatureKey };
};
