import { defineCommandGroup } from '../src/command/command.ts';
import { inPlaceAction } from './autotranslate/in-place.ts';
import { linkAction } from './autotranslate/link.ts';
import { listAction } from './autotranslate/list.ts';
import { mirrorAction } from './autotranslate/mirror.ts';
import { offAction } from './autotranslate/off.ts';

export default defineCommandGroup(
  'autotranslate',
  {
    reply: inPlaceAction('reply'),
    thread: inPlaceAction('thread'),
    mirror: mirrorAction,
    link: linkAction,
    off: offAction,
    list: listAction,
  },
  { needs: 'watch', topic: 'channels' },
);
