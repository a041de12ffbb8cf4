import { beforeEach } from 'vitest';
import type { Content } from '../../../../src/model/message.ts';
import { openDiscord } from '../support.ts';
import { rich } from '../../../fakes/rich-text.ts';
import { shared } from '../../../fakes/opened.ts';

/** One Discord for the commands of a file; `locale` is that of Ann, who uses them. */
export const withCommands = (locale?: string) => {
  const discord = shared(() => openDiscord({ limits: 'off' }));
  beforeEach(() => {
    const { core, fake } = discord;
    core.invocations.length = 0;
    core.presses.length = 0;
    core.logged.length = 0;
    core.work = async ({ answer }) => answer.show({ text: rich('done') });
    fake.heal();
    fake.pings.length = 0;
  });
  return {
    discord,
    setUp: () => {
      const guild = discord.fake.guild();
      const channel = guild.channel();
      const ann = discord.fake.user({ name: 'Ann', ...(locale ? { locale } : {}) });
      guild.join(ann);
      const use = (name = 'translate', options: Record<string, string> = { text: 'hi' }) =>
        discord.fake.command(ann, { channel, name, options });
      return { guild, channel, ann, use };
    },
    /** Has the core show each content when the last one stands. */
    showing: (...contents: Content[]): void => {
      discord.core.work = async ({ answer }) => {
        for (const content of contents) await answer.show(content);
      };
    },
  };
};
