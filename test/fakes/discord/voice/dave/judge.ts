import type { Commit } from './commit.ts';
import type { Proposal } from './external-sender.ts';

/** What the group and the committer are at this moment. */
interface Expected {
  readonly groupId: Buffer;
  readonly epoch: bigint;
  /** None: the sender is no member. */
  readonly leaf: number | undefined;
  readonly userId: string;
  readonly signatureKey: Buffer | undefined;
  readonly proposals: readonly Proposal[];
}

const isSameSet = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && new Set([...some, ...others]).size === some.length;

/**
 * Throws, with the reason, for what is not announced (daveprotocol.com, "Voice Gateway Commit
 * Validity" and "Commit Ordering"). What only members can check is theirs to refuse.
 */
export const judgeCommit = (commit: Commit, expected: Expected): void => {
  if (!commit.groupId.equals(expected.groupId)) throw new Error('the commit is of another group');
  if (commit.epoch !== expected.epoch) throw new Error('the commit is of another epoch');
  if (commit.committer !== expected.leaf) throw new Error('the commit is of another leaf');
  const { leaf } = commit;
  if (
    leaf !== undefined &&
    (leaf.userId !== expected.userId || expected.signatureKey?.equals(leaf.signatureKey) === false)
  )
    throw new Error('the commit changes who its sender is');
  const proposals = expected.proposals.map(({ reference }) => reference);
  if (proposals.length === 0 || !isSameSet(commit.references, proposals))
    throw new Error('the commit does not name just the proposals that stand');
  const added = expected.proposals.flatMap(({ change }) =>
    'add' in change ? [change.keyPackage.reference] : [],
  );
  if (!isSameSet(commit.welcome?.recipients ?? [], added))
    throw new Error('the welcome is not for those who are added');
};
