import type { Channel } from '../../model/place.ts';
import type { Platform } from '../../ports/platform.ts';
import type { RoomMember } from '../../ports/voice.ts';
import type { ListeningMode } from '../listening-mode.ts';
import type { RoomTexts } from '../texts.ts';
import type { Speaking } from '../tts/speaking.ts';

export interface NoticeDeps {
  readonly platform: Pick<Platform, 'post'>;
  readonly channel: () => Channel;
  readonly speaking: Pick<Speaking, 'announce'>;
  readonly isSpoken: () => boolean;
  readonly texts: RoomTexts;
}

/** Most people whom a notice names; for more it addresses everybody. */
const MOST_NAMED = 10;

/**
 * Informs people of the use before they are listened to: in writing, and aloud where the room wants
 * that. The first notice in a room is for everybody, later ones are for newcomers. Rejects when the
 * notice cannot be posted.
 */
export const createNotice = (
  { platform, channel, speaking, isSpoken, texts }: NoticeDeps,
  { use, rule }: Pick<ListeningMode, 'use' | 'rule'>,
): ((members: readonly RoomMember[]) => Promise<void>) => {
  let postedIn: string | undefined;
  return async (members) => {
    const to = channel();
    const isLate = postedIn === to.id && members.length <= MOST_NAMED;
    await platform.post(to, texts.notice(use, rule, isLate ? members : undefined));
    postedIn = to.id;
    if (isSpoken()) await speaking.announce(texts.spokenNotice(use, rule, isLate));
  };
};
