import type { Channel } from '../../model/place.ts';
import type { Platform } from '../../ports/platform.ts';
import type { RoomMember } from '../../ports/voice.ts';
import type { ListeningMode } from '../listening-mode.ts';
import type { Speaking } from '../tts/speaking.ts';
import type { RoomTexts } from '../texts.ts';

export interface NoticeDeps {
  readonly platform: Pick<Platform, 'post'>;
  readonly channel: () => Channel;
  readonly speaking: Pick<Speaking, 'announce'>;
  readonly isSpoken: () => boolean;
  readonly texts: RoomTexts;
}

/** More than so many who come at once are told as everybody is: not by their names. */
const MOST_NAMED = 10;

/**
 * Tells people, before they are heard, what for: in writing, and aloud where the room wants that. In
 * each room everybody is told first, then those who come later. Rejects where it cannot be written.
 */
export const createNotice = (
  { platform, channel, speaking, isSpoken, texts }: NoticeDeps,
  { purpose, rule }: Pick<ListeningMode, 'purpose' | 'rule'>,
): ((members: readonly RoomMember[]) => Promise<void>) => {
  let toldIn: string | undefined;
  return async (members) => {
    const to = channel();
    const isLate = toldIn === to.id && members.length <= MOST_NAMED;
    await platform.post(to, texts.notice(purpose, rule, isLate ? members : undefined));
    toldIn = to.id;
    if (isSpoken()) await speaking.announce(texts.spokenNotice(purpose, rule, isLate));
  };
};
