import type { KeyPackage } from './leaf-node.ts';
import {
  ADD,
  BASIC_CREDENTIAL,
  EXTERNAL,
  MLS_10,
  PROPOSAL,
  PUBLIC_MESSAGE,
  REMOVE,
  createSigner,
  referenceOf,
} from './mls.ts';
import { concat, u16, u32, u64, u8, vector } from './tls.ts';

/** Who shall come into the group, or which leaf shall go. */
export type Change =
  | { readonly add: string; readonly keyPackage: KeyPackage }
  | { readonly remove: number };

export interface Proposal {
  readonly change: Change;
  /** How commits and op 27 (revoke) name it, as hex. */
  readonly reference: string;
  /** A whole MLSMessage. */
  readonly bytes: Buffer;
}

/** The voice server as MLS knows it: outside of the group, but its proposals count. */
export interface ExternalSender {
  /** What op 25 carries. */
  readonly bytes: Buffer;
  propose(epoch: bigint, change: Change): Proposal;
}

const renderChange = (change: Change): Buffer =>
  'add' in change
    ? concat(u16(ADD), change.keyPackage.bytes)
    : concat(u16(REMOVE), u32(change.remove));

export const createExternalSender = (groupId: Uint8Array): ExternalSender => {
  const signer = createSigner();
  return {
    bytes: concat(vector(signer.publicKey), u16(BASIC_CREDENTIAL), vector(Buffer.from('fake'))),
    propose: (epoch, change) => {
      const content = concat(
        vector(groupId),
        u64(epoch),
        u8(EXTERNAL),
        u32(0),
        vector(),
        u8(PROPOSAL),
        renderChange(change),
      );
      const framed = concat(u16(PUBLIC_MESSAGE), content);
      const toBeSigned = concat(u16(MLS_10), framed);
      const signature = vector(signer.sign('FramedContentTBS', toBeSigned));
      return {
        change,
        reference: referenceOf('Proposal', concat(framed, signature)),
        bytes: concat(toBeSigned, signature),
      };
    },
  };
};
