import type { DiscordFake, FakeChannel } from './discord/index.ts';

/** Awaits the notices, each in its channel's language, of auto-translate that was turned on elsewhere, and takes them away, so that what is said stands alone. */
export const removeOnNotices = async (
  discord: Pick<DiscordFake, 'until'>,
  channels: readonly FakeChannel[],
): Promise<void> => {
  for (const channel of channels) {
    const notices = () => channel.messages.filter(({ content }) => content.includes('/privacy'));
    await discord.until(() => notices().length > 0);
    for (const notice of notices()) notice.delete();
  }
};
