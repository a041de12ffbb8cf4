import { z } from 'zod';
import {
  channelOption,
  defineAction,
  listOption,
  moderator,
  richText,
} from '../../src/command/command.ts';
import {
  completeLanguages,
  typedLanguages,
  readChannels,
  typedCode,
} from '../../src/command/helpers.ts';
import { bullets, lines, sections } from '../../src/rich-text/compose.ts';
import { channelMention } from '../../src/model/place.ts';
import { MOST_CHANNELS, type ChannelWatch } from '../../src/model/space.ts';
import {
  ageOption,
  chosenChannel,
  linkedLine,
  namesOf,
  switches,
  switchLines,
  setAndWarn,
} from './context.ts';
import { userError } from '../../src/errors.ts';
import { endsLink } from './off.ts';

const inPlaceOptions = {
  languages: listOption(),
  channel: channelOption().optional(),
  ...switches,
};
const belowOption = z.boolean().default(false).meta({ needs: 'reply-threads' });

/** `/autotranslate reply`, `compact` and `thread`: translations of a channel's messages stand in that channel. */
export const inPlaceAction = (mode: 'reply' | 'compact' | 'thread') =>
  defineAction({
    options: z.object(inPlaceOptions).extend(mode === 'reply' ? { below: belowOption } : {}),
    complete: { languages: completeLanguages },
    guards: [moderator],
    private: true,
    slow: true,
    async run(ctx) {
      const { options, services, t, reply } = ctx;
      const channel = chosenChannel(ctx);
      const languages = typedLanguages(options.languages, services);
      const watch: ChannelWatch = {
        channel,
        mode,
        languages,
        transcribes: options['voice-messages'],
        bots: options.bots,
        ...(options.below ? { below: true } : {}),
      };
      const asked = await endsLink([watch], ctx);
      if (asked) return reply(asked);
      const warnings = await setAndWarn([watch], ctx);
      await reply({
        text: sections(
          lines(
            t(watch.below ? 'autotranslate.below' : `autotranslate.${mode}`, {
              channel: channelMention(channel),
              count: languages.length,
            }),
            bullets(...namesOf(languages, ctx)),
          ),
          lines(
            mode === 'compact' && t('autotranslate.compact-cut'),
            t('autotranslate.skips'),
            await switchLines(options, ctx),
          ),
          warnings,
        ),
      });
    },
  });

/** `/autotranslate request`: nothing is translated by itself; the channel's notice has buttons, and is to be pinned. */
export const requestAction = defineAction({
  options: z.object({ channel: channelOption().optional() }),
  guards: [moderator],
  private: true,
  slow: true,
  async run(ctx) {
    const { services, t, reply } = ctx;
    const channel = chosenChannel(ctx);
    const now = services.watches.of(channel);
    const watch: ChannelWatch = {
      channel,
      mode: 'request',
      languages: now?.languages ?? [],
      transcribes: now?.transcribes ?? false,
      bots: false,
    };
    const asked = await endsLink([watch], ctx);
    if (asked) return reply(asked);
    const warnings = await setAndWarn([watch], ctx);
    const named = { channel: channelMention(channel) };
    await reply({ text: sections(t('autotranslate.request-set', named), warnings) });
  },
});

const FEWEST_CHANNELS = 2;
const LONGEST_LIST_CHARS = 2_000;

/** `/autotranslate mirror`: links channels of one space, each in its language. */
export const mirrorAction = defineAction({
  options: z.object({
    channels: richText({ max: LONGEST_LIST_CHARS }),
    ...switches,
    'age-restricted': ageOption.meta({ needs: 'age-restrictions' }),
  }),
  guards: [moderator],
  private: true,
  slow: true,
  async run(ctx) {
    const { options, services, channel, t, reply } = ctx;
    const { space } = channel;
    const typed = readChannels(options.channels, services.languages, space.platform);
    if (!typed || typed.length === 0) throw userError('bad-input', 'autotranslate.mirror-how');
    if (typed.length < FEWEST_CHANNELS || typed.length > MOST_CHANNELS)
      throw userError('bad-input', 'autotranslate.how-many-channels', {
        fewest: FEWEST_CHANNELS,
        most: MOST_CHANNELS,
      });
    const twice = typed.find(({ id }, place) => typed.findIndex((each) => each.id === id) < place);
    if (twice)
      throw userError('bad-input', 'autotranslate.channel-twice', {
        channel: channelMention({ space, id: twice.id }),
      });
    const group = crypto.randomUUID();
    const watches = typed.map(({ id, language, typed: name }): ChannelWatch => {
      if (language === undefined)
        throw userError('bad-input', 'autotranslate.channel-language', {
          channel: channelMention({ space, id }),
          language: typedCode(name),
        });
      return {
        channel: { space, id },
        mode: 'mirror',
        languages: [language],
        group,
        transcribes: options['voice-messages'],
        bots: options.bots,
      };
    });
    if (new Set(watches.flatMap(({ languages }) => languages)).size < 2)
      throw userError('bad-input', 'autotranslate.one-language');
    const asked = await endsLink(watches, ctx);
    if (asked) return reply(asked);
    const warnings = await setAndWarn(watches, ctx, options['age-restricted']);
    const linked = watches.map((watch) => linkedLine(watch, ctx));
    await reply({
      text: sections(
        lines(t('autotranslate.mirror'), bullets(...linked)),
        await switchLines(options, ctx),
        warnings,
      ),
    });
  },
});
