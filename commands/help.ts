import { z } from 'zod';
import { defineCommand, quote, userError, type CommandInfo } from '../src/command.ts';

const line = ({ name, typed = name, summary }: CommandInfo): string =>
  `- \`/${typed}\` · ${summary}`;

export default defineCommand('help', {
  options: z.object({ command: z.string().optional() }),
  complete: {
    command: (typed, { services, member, locale }) =>
      services
        .commands(locale, member.platform)
        .map(({ name, typed: own = name, summary }) => ({ name, own, summary }))
        .filter(({ name, own }) =>
          [name, own].some((known) => known.includes(typed.replace(/^\//, '').toLowerCase())),
        )
        .map(({ name, own, summary }) => ({ value: name, label: `/${own} · ${summary}` })),
  },
  private: true,
  async run({ options, services, member, locale, t, reply }) {
    const commands = services.commands(locale, member.platform);
    if (options.command === undefined) {
      await reply({ text: [t('help.heading'), ...commands.map(line)].join('\n') });
      return;
    }
    const wanted = options.command.trim().replace(/^\//, '').toLowerCase();
    const found = commands.filter(({ name, typed = name }) =>
      [name, typed].some((known) => known === wanted || known.startsWith(`${wanted} `)),
    );
    if (found.length === 0)
      throw userError('not-found', 'errors.unknown-command', { command: quote(`/${wanted}`) });
    const details = found.flatMap((command) => [
      line(command),
      ...command.options.map(
        ({ name, typed = name, description, required }) =>
          `  - \`${typed}\`${required ? '' : ` (${t('help.optional')})`} · ${description}`,
      ),
    ]);
    await reply({ text: details.join('\n') });
  },
});
