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
  readerLanguage,
  typedLanguage,
  audioFileOf,
} from '../src/command/helpers.ts';
import { userError } from '../src/errors.ts';
import { lines, plainWords, sections } from '../src/rich-text/compose.ts';
import type { Attachment } from '../src/model/message.ts';
import type { RichText } from '../src/rich-text/rich-text.ts';
import { betterButton } from './glossary/proposals.ts';
import { wholePress } from './translate/whole.ts';
import { completeEngine, engineNote, nextEngine, typedEngine } from './translate/engines.ts';

const LONGEST_TEXT_CHARS = 50_000;
const LONGEST_ENGINE_CHARS = 100;

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
      engine: completeEngine,
    },
    slow: true,
    onMessage: (message) => {
      if (!isBlankMessage(message.text)) return { text: message.text };
      const audio = audioFileOf(message);
      if (!audio) throw userError('bad-input', 'translate.nothing-in-message');
      return { audio };
    },
    async run(ctx) {
      const { options, services, member, channel, isGuest, locale, on, t, signal, stream, reply } =
        ctx;
      if ((options.text === undefined) === (options.audio === undefined))
        throw userError('bad-input', 'translate.text-or-audio');
      const own = (await services.settings.of(member)).language;
      const expected = [own, member.locale, ...(services.watches.of(channel)?.languages ?? [])]
        .map((each) => each && services.languages.find(each))
        .filter((each) => each !== undefined);
      const to =
        options.to === undefined ? await readerLanguage(ctx) : typedLanguage(options.to, services);
      const from = options.from === undefined ? undefined : typedLanguage(options.from, services);
      const engine =
        options.engine === undefined
          ? await nextEngine(to, ctx)
          : await typedEngine(options.engine, ctx);
      const [written = options.text ?? []] = on
        ? await services.messages.written([on], signal)
        : [];
      const source: Source = options.audio
        ? await hear(options.audio, from, ctx)
        : { text: written, ...(from === undefined ? {} : { from }) };
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
        ...(engine === undefined ? {} : { model: engine }),
      } as const;
      const translation = await stream(services.translator.translate(request, signal), (soFar) =>
        withSource(soFar()),
      );
      const { text, outcome } = translation;
      const note = await engineNote(translation, engine, ctx);
      if (outcome === 'translated' || outcome === 'unchanged')
        await reply({
          text: sections(withSource(text), note),
          ...(on && !isGuest ? { controls: [betterButton(ctx, to)] } : {}),
        });
      else if (options.audio) await reply({ text: source.text });
      else {
        // A translation of ours is what its reader may want to better.
        const isOurs = on?.author.kind === 'ourselves' && outcome === 'same-language';
        const isBetterable = isOurs && !isGuest && (await services.modelsOf(on.ref)).length > 0;
        await reply({
          text: lines(t(`translate.${outcome}`, { language }), note),
          tone: 'note',
          ...(isBetterable ? { controls: [betterButton(ctx, to)] } : {}),
        });
      }
    },
  },
  { topic: 'translation', presses: { whole: wholePress } },
);
