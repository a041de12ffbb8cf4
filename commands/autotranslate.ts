import { defineCommandGroup } from '../src/command/command.ts';
import { inPlaceAction, mirrorAction } from './autotranslate/set.ts';
import { linkAction } from './autotranslate/link.ts';
import { listAction, offAction } from './autotranslate/list.ts';

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
