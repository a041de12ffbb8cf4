import { z } from 'zod';
import { defineCommand, quote, userError, type CommandInfo } from '../src/command.ts';

const line = ({ name, summary }: CommandInfo): string => `- \`/${name}\` · ${summary}`;

export default defineCommand('help', {
  options: z.object({ command: z.string().optional() }),
  complete: {
    command: (typed, { services, member, locale }) =>
      services
        .commands(locale, member.platform)
        .filter(({ name }) => name.includes(typed.replace(/^\//, '').toLowerCase()))
        .map(({ name, summary }) => ({ value: name, label: `/${name} · ${summary}` })),
  },
  private: true,
  async run({ options, services, member, locale, t, reply }) {
    const commands = services.commands(locale, member.platform);
    if (options.command === undefined) {
      await reply({ text: [t('help.heading'), ...commands.map(line)].join('\n') });
      return;
    }
    const wanted = options.command.trim().replace(/^\//, '').toLowerCase();
    const found = commands.filter(({ name }) => name === wanted || name.startsWith(`${wanted} `));
    if (found.length === 0)
      throw userError('not-found', 'errors.unknown-command', { command: quote(`/${wanted}`) });
    const details = found.flatMap((command) => [
      line(command),
      ...command.options.map(
        ({ name, description, required }) =>
          `  - \`${name}\`${required ? '' : ` (${t('help.optional')})`} · ${description}`,
      ),
    ]);
    await reply({ text: details.join('\n') });
  },
});
