import { readLeafNode } from './leaf-node.ts';
import { CIPHERSUITE, COMMIT, MEMBER, MLS_10, PUBLIC_MESSAGE } from './mls.ts';
import { TlsReader, concat, u16, vector } from './tls.ts';

/** What a voice server can see of a commit: all but the secrets (RFC 9420, sections 6 and 12.4). */
export interface Commit {
  /** A whole MLSMessage, as op 29 announces it. */
  readonly bytes: Buffer;
  readonly groupId: Buffer;
  readonly epoch: bigint;
  readonly committer: number;
  /** The proposals that it names, in order, as hex. */
  readonly references: readonly string[];
  /** The leaf that the committer takes from now on, where it makes new keys. */
  readonly leaf: { readonly userId: string; readonly signatureKey: Buffer } | undefined;
  readonly welcome: Welcome | undefined;
}

export interface Welcome {
  /** The references of the key packages that it is for. */
  readonly recipients: readonly string[];
  /** The same welcome with nobody's secrets but one's, as op 30 carries it. */
  for(reference: string): Buffer;
}

const readReference = (reader: TlsReader): string => {
  if (reader.u8() !== 2) throw new Error('the commit carries a proposal of its own');
  return reader.vector().toString('hex');
};

const welcomeIn = (reader: TlsReader): Welcome => {
  if (reader.u16() !== CIPHERSUITE) throw new Error('the welcome is of another ciphersuite');
  const secrets = reader.each((each) => {
    const start = each.at;
    const reference = each.vector().toString('hex');
    each.vector();
    each.vector();
    return { reference, bytes: each.since(start) };
  });
  const groupInfo = vector(reader.vector());
  return {
    recipients: secrets.map(({ reference }) => reference),
    for: (reference) => {
      const own = secrets.filter((each) => each.reference === reference);
      return concat(u16(CIPHERSUITE), vector(...own.map(({ bytes }) => bytes)), groupInfo);
    },
  };
};

export const readWelcome = (bytes: Uint8Array): Welcome => welcomeIn(new TlsReader(bytes));

/** Reads op 28; throws for what no voice server would pass on. */
export const readCommit = (payload: Uint8Array): Commit => {
  const reader = new TlsReader(payload);
  if (reader.u16() !== MLS_10 || reader.u16() !== PUBLIC_MESSAGE)
    throw new Error('the commit is no public message');
  const groupId = reader.vector();
  const epoch = reader.u64();
  if (reader.u8() !== MEMBER) throw new Error('the commit is of no member');
  const committer = reader.u32();
  reader.vector();
  if (reader.u8() !== COMMIT) throw new Error('the message is no commit');
  const references = reader.each(readReference);
  const leaf = reader.u8() === 1 ? readLeafNode(reader) : undefined;
  if (leaf !== undefined) reader.vector();
  // The signature, the confirmation tag and the membership tag, which only members can check.
  for (let field = 0; field < 3; field += 1) reader.vector();
  const bytes = reader.since(0);
  const welcome = reader.done ? undefined : welcomeIn(reader);
  if (!reader.done) throw new Error('there are bytes after the commit');
  return { bytes, groupId, epoch, committer, references, leaf, welcome };
};
