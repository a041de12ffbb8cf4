import type { ConsentChoice, ConsentRule } from '../model/room.ts';
import type { LinkStatus } from './link-status.ts';
import type { HearingState } from './room-answers.ts';

interface HearingDeps {
  readonly isHere: (memberId: string) => boolean;
  readonly optedOut: (memberId: string) => Promise<boolean>;
  readonly choiceOf: (memberId: string) => Promise<ConsentChoice>;
  readonly rule: () => ConsentRule;
  readonly areCaptionsOn: () => boolean;
  readonly isCaptioned: (memberId: string) => boolean;
  readonly link: Pick<LinkStatus, 'isAway' | 'isInaudible'>;
}

/** Creates the function that tells whether a member is captioned, or the first reason why not. */
export const createHearing =
  ({ isHere, optedOut, choiceOf, rule, areCaptionsOn, isCaptioned, link }: HearingDeps) =>
  async (memberId: string): Promise<HearingState> => {
    if (!isHere(memberId)) return 'not-here';
    if (await optedOut(memberId)) return 'opted-out';
    const choice = await choiceOf(memberId);
    if (choice === 'refused') return 'refused';
    if (!areCaptionsOn()) return 'no-captions';
    if (link.isAway()) return 'disconnected';
    if (link.isInaudible(memberId)) return 'unreadable';
    if (isCaptioned(memberId)) return 'captioned';
    return rule() === 'agreed' && choice === undefined ? 'not-agreed' : 'not-told';
  };
