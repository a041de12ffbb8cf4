import { z } from 'zod';
import {
  defineAction,
  moderator,
  pressOn,
  type Press,
  type PressContext,
} from '../../src/command/command.ts';
import { button, completeLanguage, typedCode, typedLanguage } from '../../src/command/helpers.ts';
import { userError } from '../../src/errors.ts';
import type { Content, Control } from '../../src/model/message.ts';
import { memberMention } from '../../src/model/place.ts';
import { lines, sentence, series } from '../../src/rich-text/compose.ts';

type Context = Pick<PressContext, 'services' | 'channel' | 'locale' | 't' | 'label'>;

/** Shows the oldest proposal, with buttons that decide on it. */
const panel = async (ctx: Context): Promise<Content> => {
  const { services, channel, locale, t } = ctx;
  const { space } = channel;
  const [first, ...others] = await services.glossary.proposals(space);
  if (!first) return { text: t('glossary.no-proposals'), tone: 'note' };
  const { term, language, translation = '' } = first.term;
  return {
    text: lines(
      t('glossary.proposals', { count: others.length + 1 }),
      series([
        sentence(typedCode(term), ' → ', typedCode(translation)),
        language ? services.languages.name(language, locale) : t('glossary.everywhere'),
        sentence(memberMention(space, first.authorId)),
      ]),
    ),
    controls: [
      button(ctx, `glossary accept:${first.id}`, 'glossary.accept', 'primary'),
      button(ctx, `glossary refuse:${first.id}`, 'glossary.refuse'),
    ],
  };
};

/** `/glossary proposals`: what members proposed, for moderators. */
export const proposalsAction = defineAction({
  guards: [moderator],
  private: true,
  run: async (ctx) => ctx.reply(await panel(ctx)),
});

/** `/glossary propose`: proposes a translation to the moderators. */
export const proposeAction = defineAction({
  options: z.object({
    term: z.string().min(1),
    translation: z.string().min(1),
    language: z.string(),
  }),
  complete: { language: completeLanguage },
  private: true,
  async run({ options, services, channel, member, t, reply }) {
    const { term, translation } = options;
    const language = typedLanguage(options.language, services);
    await services.glossary.propose(channel.space, member, { term, translation, language });
    await reply({ text: t('glossary.proposed') });
  },
});

const LONGEST_CHARS = 410;
const BETWEEN = /→|->|=>|=|＝/u;

/** The button under a translation by which its reader proposes a better one. */
export const betterButton = (ctx: Pick<PressContext, 'label'>, language: string): Control =>
  button(ctx, `glossary better:${language}`, 'glossary.better');

/** A press under a line of the moderators' channel, which says then what became of the proposal. */
const decideThere = (isAccepted: boolean): Press => ({
  guards: [moderator],
  async run({ arg, services, channel, t, reply }) {
    const decided = await services.glossary.decide(channel.space, arg, isAccepted);
    if (!decided) return reply({ text: t('glossary.decided') });
    const { term, translation = '' } = decided;
    const named = { term: typedCode(term), translation: typedCode(translation) };
    await reply({ text: t(isAccepted ? 'glossary.accepted' : 'glossary.refused', named) });
  },
});

const decide = (isAccepted: boolean): Press => ({
  guards: [moderator],
  ...pressOn(panel, async ({ arg, services, channel }) => {
    const decided = await services.glossary.decide(channel.space, arg, isAccepted);
    if (!decided) throw userError('not-found', 'glossary.decided');
  }),
});

export const proposalPresses: Readonly<Record<string, Press>> = {
  accept: decide(true),
  refuse: decide(false),
  take: decideThere(true),
  drop: decideThere(false),
  better: {
    private: true,
    form: {
      title: 'glossary.better',
      label: 'glossary.better-label',
      hint: 'glossary.better-hint',
      maxChars: LONGEST_CHARS,
    },
    async run({ arg, values: [typed = ''], services, channel, member, t, reply }) {
      const at = BETWEEN.exec(typed);
      const term = typed.slice(0, at?.index ?? 0).trim();
      const translation = at ? typed.slice(at.index + at[0].length).trim() : '';
      if (term === '' || translation === '') throw userError('bad-input', 'glossary.better-how');
      const language = typedLanguage(arg, services);
      await services.glossary.propose(channel.space, member, { term, translation, language });
      await reply({ text: t('glossary.proposed') });
    },
  },
};
