import { defineCommand, type AnswerContext, type Press, pressOn } from '../src/command/command.ts';
import type { QueuedSpeech, Room } from '../src/command/services.ts';
import { button, minutesAndSeconds, joinedRoom, quotedWords } from '../src/command/helpers.ts';
import { bullets, lines, series } from '../src/rich-text/compose.ts';
import type { Content } from '../src/model/message.ts';
import type { RichText } from '../src/rich-text/rich-text.ts';

const LISTED = 15;
const LONGEST_LINE_CHARS = 80;

const panel = async (ctx: AnswerContext): Promise<Content> => {
  const { t } = ctx;
  const { isPaused, items } = (await joinedRoom(ctx)).queue();
  const line = ({ kind, by, text, waitsMs }: QueuedSpeech): RichText =>
    series([
      t(`queue.kinds.${kind}`),
      by !== undefined && quotedWords(by),
      quotedWords(text, LONGEST_LINE_CHARS),
      waitsMs > 0 ? t('queue.waits', { time: minutesAndSeconds(waitsMs) }) : t('queue.now'),
    ]);
  return {
    text: lines(
      t('queue.heading', { count: items.length }),
      isPaused && t('queue.paused'),
      bullets(...items.slice(0, LISTED).map(line)),
      items.length > LISTED && t('status.more', { count: items.length - LISTED }),
    ),
    controls: [
      ...(isPaused ? [button(ctx, 'queue resume', 'queue.resume')] : []),
      ...(items.length > 0
        ? [
            ...(isPaused ? [] : [button(ctx, 'queue pause', 'queue.pause')]),
            button(ctx, 'queue skip', 'queue.skip'),
            button(ctx, 'queue stop', 'queue.stop', 'danger'),
          ]
        : []),
    ],
  };
};

const press = (run: (room: Room) => unknown): Press =>
  pressOn(panel, async (ctx) => run(await joinedRoom(ctx)));

export default defineCommand(
  'queue',
  { private: true, run: async (ctx) => ctx.reply(await panel(ctx)) },
  {
    needs: 'rooms',
    topic: 'speech',
    presses: {
      pause: press((room) => room.pause(true)),
      resume: press((room) => room.pause(false)),
      skip: press((room) => room.skip()),
      stop: press((room) => room.stopSpeaking()),
    },
  },
);
