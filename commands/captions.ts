import { z } from 'zod';
import {
  channelOption,
  defineAction,
  defineCommandGroup,
  type Press,
  type PressContext,
  type Spoken,
  listOption,
  pressOn,
} from '../src/command/command.ts';
import { ROOM_TRANSCRIPT_KINDS, type Content } from '../src/model/message.ts';
import {
  button,
  captionLanguages,
  captionRecord,
  completeLanguage,
  completeLanguages,
  hears,
  joinedRoom,
  answerText,
  typedLanguage,
  typedLanguages,
  readerLanguage,
} from '../src/command/helpers.ts';
import { userError, type AppError } from '../src/errors.ts';
import { lines } from '../src/rich-text/compose.ts';
import { channelAround, channelMention, type Channel } from '../src/model/place.ts';

/** The context that a command and a press share. */
type PressedOrTyped = Omit<PressContext, 'arg' | 'values'>;

const notOn = (): AppError => userError('not-found', 'captions.not-on');

/** The room that is to be captioned: that of the member, or for moderators in none that we are in. */
const wantedRoom = async (ctx: PressedOrTyped): Promise<Channel> => {
  const { services, channel, member } = ctx;
  const theirs = services.rooms.roomOf(channel.space, member.id);
  if (theirs) return theirs;
  if (services.rooms.of(channel.space)) return (await joinedRoom(ctx)).channel;
  throw userError('bad-input', 'room.nobody-there');
};

const startOptions = z.object({
  languages: listOption().optional(),
  in: channelOption().optional(),
  thread: z.boolean().optional(),
  only: z.string().optional(),
  transcript: z.enum(ROOM_TRANSCRIPT_KINDS).optional(),
});

type StartOptions = z.infer<typeof startOptions>;

/** The languages of the captions. A reader of one language alone needs no other. */
const wantedLanguages = async (
  { services, channel }: PressedOrTyped,
  typed: string | undefined,
  only: string | undefined,
): Promise<readonly string[]> => {
  const asked = typed === undefined ? [] : typedLanguages(typed, services);
  if (only !== undefined) return [...new Set([...asked, only])];
  if (typed !== undefined) return asked;
  return (await services.spaces.of(channel.space)).rooms.languages;
};

/** The channel that captions are to be shown in; undefined: the room's own chat. */
const placeOf = (
  options: Pick<StartOptions, 'in' | 'thread'>,
  { channel, member }: PressedOrTyped,
  room: Channel,
): Channel | undefined => {
  const place = options.in ?? (options.thread ? channelAround(channel) : undefined);
  if (!place) return undefined;
  if (options.thread && place.id === room.id) throw userError('bad-input', 'captions.no-thread');
  // What is said in a room is not to be shown where its people could not write themselves.
  const isNear = [channel.id, channel.parentId, room.id].includes(place.id);
  if (!isNear && member.role !== 'moderator') throw userError('forbidden', 'captions.not-there');
  return place;
};

/** Starts captions in the room of the person, and says so. */
const begin = async (
  options: StartOptions,
  ctx: PressedOrTyped,
  { t, locale }: Spoken,
): Promise<void> => {
  const { services, reply } = ctx;
  const only = options.only === undefined ? undefined : typedLanguage(options.only, services);
  const languages = await wantedLanguages(ctx, options.languages, only);
  const wanted = await wantedRoom(ctx);
  const place = placeOf(options, ctx, wanted);
  if (place) await ctx.access.demand([place], 'write');
  // Even moderators move us from other people with `/join` alone: nobody's captions end by accident.
  const shared = await ctx.forReaders(place ?? wanted);
  const room = await services.rooms.join(wanted, shared.locale, false);
  const { captions: running } = room;
  if (running)
    throw userError('bad-input', 'captions.running', { channel: channelMention(running.in) });
  await room.startCaptions({
    languages,
    in: place,
    thread: options.thread ? shared.label('room.thread-name') : undefined,
    only,
    transcript: options.transcript,
    startedBy: ctx.member.id,
  });
  await reply({
    text: lines(
      t('captions.started', {
        room: channelMention(room.channel),
        channel: channelMention(room.captions?.in ?? place ?? room.channel),
      }),
      only === undefined
        ? captionLanguages(languages, { ...ctx, t, locale })
        : t('captions.only', { language: { language: only } }),
      options.transcript && t('captions.transcript-follows'),
      !(await hears(ctx)) && t('captions.no-recognition'),
    ),
  });
};

const start = defineAction({
  options: startOptions,
  complete: { languages: completeLanguages, only: completeLanguage },
  slow: true,
  run: async (ctx) => begin(ctx.options, ctx, await ctx.forReaders()),
});

/** Says how captions begin, with a button that begins them. */
const opened = ({ t, label }: PressContext): Content => ({
  text: t('captions.how'),
  controls: [button({ label }, 'captions begin', 'captions.begin', 'primary')],
});

const stop = defineAction({
  slow: true,
  async run(ctx) {
    if (!(await (await joinedRoom(ctx)).stopCaptions())) throw notOn();
    const { t } = await ctx.forReaders();
    await ctx.reply({ text: t('captions.stopped') });
  },
});

const exportFile = defineAction({
  options: z.object({
    kind: z.enum(ROOM_TRANSCRIPT_KINDS).default('txt'),
    language: z.string().optional(),
  }),
  complete: { language: completeLanguage },
  private: true,
  slow: true,
  async run(ctx) {
    const { options, services, t, reply } = ctx;
    const language = options.language && typedLanguage(options.language, services);
    const file = await (await captionRecord(ctx)).transcript(options.kind, language || undefined);
    if (!file) throw userError('not-found', 'captions.none');
    await reply({ text: t('captions.exported'), files: [file] });
  },
});

const language = defineAction({
  options: z.object({ languages: listOption().optional() }),
  complete: { languages: completeLanguages },
  async run(ctx) {
    const { options, services, reply } = ctx;
    const room = await joinedRoom(ctx);
    if (!room.captions) throw notOn();
    const typed = options.languages?.trim() ?? '';
    const languages = typed === '' ? [] : typedLanguages(typed, services);
    room.setLanguages(languages);
    await reply({ text: captionLanguages(languages, { ...ctx, ...(await ctx.forReaders()) }) });
  },
});

const summary = defineAction({
  options: z.object({ language: z.string().optional() }),
  complete: { language: completeLanguage },
  slow: true,
  async run(ctx) {
    const { options, services, signal, stream, reply } = ctx;
    const wanted = options.language
      ? typedLanguage(options.language, services)
      : await readerLanguage(ctx);
    const record = await captionRecord(ctx);
    const text = await stream(record.summary(wanted, services.assistant, signal), answerText);
    await reply({ text: answerText(text) });
  },
});

/** Sets the presser's own choice: the notice above stays as it is for everybody. */
const choose = (choice: 'allowed' | 'refused'): Press => ({
  private: true,
  isForEverybody: true,
  async run(ctx: PressContext) {
    const { services, channel, member, t, reply } = ctx;
    if (choice === 'allowed' && (await services.privacy.optedOut(member)))
      throw userError('forbidden', 'captions.opted-out');
    await services.rooms.choose(channel.space, member.id, choice);
    await reply({
      text: t(choice === 'allowed' ? 'captions.chose-heard' : 'captions.chose-unheard'),
      controls: [
        choice === 'allowed'
          ? button(ctx, 'captions out', 'room.leave-me-out')
          : button(ctx, 'captions in', 'room.caption-me'),
      ],
    });
  },
});

export default defineCommandGroup(
  'captions',
  { start, stop, export: exportFile, language, summary },
  {
    needs: 'rooms',
    topic: 'speech',
    presses: {
      out: choose('refused'),
      in: choose('allowed'),
      open: { ...pressOn(opened), private: true },
      begin: pressOn(opened, (ctx) => begin({}, ctx, ctx)),
    },
  },
);
