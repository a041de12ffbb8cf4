import { z } from 'zod';
import {
  attachment,
  defineCommand,
  richText,
  type CommandContext,
} from '../src/command/command.ts';
import {
  attachmentTranscript,
  completeLanguage,
  isBlankMessage,
  quotedWords,
  typedLanguage,
  audioFileOf,
  smallModels,
  translationEngines,
} from '../src/command/helpers.ts';
import { userError } from '../src/errors.ts';
import { lines, plainWords, sections } from '../src/rich-text/compose.ts';
import type { Attachment } from '../src/model/message.ts';
import type { RichText } from '../src/rich-text/rich-text.ts';

const LONGEST_TEXT_CHARS = 50_000;

interface Source {
  readonly text: RichText;
  readonly from?: string;
}

const growing = ({ text }: { readonly text: string }): RichText => plainWords(text || '…');

const hear = async (
  audio: Attachment,
  from: string | undefined,
  ctx: CommandContext<unknown>,
): Promise<Source> => {
  const { text, language } = await attachmentTranscript({ audio, language: from, growing }, ctx);
  const spoken = from ?? ctx.services.languages.find(language);
  return { text: plainWords(text), ...(spoken === undefined ? {} : { from: spoken }) };
};

const LONGEST_ENGINE_CHARS = 100;
const COMPLETING_MS = 2_500;

/** Tells which small engine translated, and which others can be asked. */
const engineNote = async (
  model: string | undefined,
  { services, channel, t, signal }: CommandContext<unknown>,
): Promise<RichText | undefined> => {
  const small = model === undefined ? [] : smallModels(model);
  if (model === undefined || small.length === 0) return undefined;
  const engines = await translationEngines({ services, space: channel.space }, signal).catch(
    () => [],
  );
  const others = engines.filter((name) => !model.split(/[-+]/).includes(name));
  return lines(
    t('translate.small-engine', { engines: small.map((each) => quotedWords(each)).join(', ') }),
    others.length > 0 && t('translate.other-engines', { engines: others.join(', ') }),
  );
};

export default defineCommand(
  'translate',
  {
    options: z.object({
      text: richText({ max: LONGEST_TEXT_CHARS }).optional(),
      to: z.string().optional(),
      from: z.string().optional(),
      audio: attachment().optional(),
      engine: z.string().min(1).max(LONGEST_ENGINE_CHARS).optional(),
    }),
    complete: {
      to: completeLanguage,
      from: completeLanguage,
      engine: async (typed, ctx) => {
        const engines = await translationEngines(ctx, AbortSignal.timeout(COMPLETING_MS));
        return engines
          .filter((name) => name.startsWith(typed.trim().toLowerCase()))
          .map((name) => ({ value: name, label: name }));
      },
    },
    slow: true,
    onMessage: (message) => {
      if (!isBlankMessage(message.text)) return { text: message.text };
      const audio = audioFileOf(message);
      if (!audio) throw userError('bad-input', 'translate.nothing-in-message');
      return { audio };
    },
    async run(ctx) {
      const { options, services, member, channel, locale, t, signal, stream, reply } = ctx;
      if ((options.text === undefined) === (options.audio === undefined))
        throw userError('bad-input', 'translate.text-or-audio');
      const own = (await services.settings.of(member)).language;
      const preferred = own ?? member.locale;
      const expected = [own, member.locale, ...(services.watches.of(channel)?.languages ?? [])]
        .map((each) => each && services.languages.find(each))
        .filter((each) => each !== undefined);
      const to = typedLanguage(options.to ?? preferred, services);
      const from = options.from === undefined ? undefined : typedLanguage(options.from, services);
      const source: Source = options.audio
        ? await hear(options.audio, from, ctx)
        : { text: options.text ?? [], ...(from === undefined ? {} : { from }) };
      const language = services.languages.name(to, locale);
      const withSource = (translation: RichText): RichText =>
        options.audio
          ? t('transcribe.with-translation', { original: source.text, translation, language })
          : translation;
      const request = {
        ...source,
        to,
        expected,
        place: channel,
        lane: 'interactive',
        ...(options.engine === undefined ? {} : { model: options.engine }),
      } as const;
      const { text, outcome, model } = await stream(
        services.translator.translate(request, signal),
        (soFar) => withSource(soFar()),
      );
      if (outcome === 'translated')
        await reply({ text: sections(withSource(text), await engineNote(model, ctx)) });
      else if (options.audio) await reply({ text: source.text });
      else await reply({ text: t(`translate.${outcome}`, { language }), tone: 'note' });
    },
  },
  { topic: 'translation' },
);
