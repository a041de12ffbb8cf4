import type { DiscordFake, FakeChannel } from './discord/index.ts';
import { sentenceLike } from './sentences.ts';

/** Awaits the notices of auto-translate that was turned on elsewhere, and takes them away, so that what is said stands alone. */
export const removeOnNotices = async (
  discord: Pick<DiscordFake, 'until'>,
  channels: readonly FakeChannel[],
): Promise<void> => {
  const like = sentenceLike('autotranslate.on-here');
  for (const channel of channels) {
    const notices = () => channel.messages.filter(({ content }) => like.test(content));
    await discord.until(() => notices().length > 0);
    for (const notice of notices()) notice.delete();
  }
};
