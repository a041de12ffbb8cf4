import type { DiscordFake, FakeChannel } from './discord/index.ts';
import { realTexts } from './texts.ts';

/** The command that opts out, as people of each language type it. */
const COMMANDS = realTexts.locales.map(
  (locale) => `/${realTexts.in(locale)('commands.privacy.name')}`,
);

/** Awaits the notices, each in its channel's language, of auto-translate that was turned on elsewhere, and takes them away, so that what is said stands alone. */
export const removeOnNotices = async (
  discord: Pick<DiscordFake, 'until'>,
  channels: readonly FakeChannel[],
): Promise<void> => {
  for (const channel of channels) {
    const notices = () =>
      channel.messages.filter(({ content }) => COMMANDS.some((name) => content.includes(name)));
    await discord.until(() => notices().length > 0);
    for (const notice of notices()) notice.delete();
  }
};
