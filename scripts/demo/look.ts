/** Sizes and colours of the moving picture. */
export type Theme = 'light' | 'dark';

export const WIDTH = 800;
export const HEIGHT = 664;
export const SIZE = 24;
export const LINE = 33;
export const SMALL_SIZE = 19;
export const SMALL_LINE = 25;
export const GAP_LINE = 12;
export const NAME_LINE = 31;
export const BUTTON_LINE = 56;
export const MESSAGE_GAP = 14;
export const LEFT = 88;
export const RIGHT = 22;
/** Before the first thing happens, and after the last. */
export const LEAD_MS = 300;
export const FADE_MS = 250;
/** For which an edited message is highlighted. */
export const EDIT_MS = 1_600;

interface Colours {
  readonly back: string;
  readonly card: string;
  readonly edge: string;
  readonly ink: string;
  readonly quiet: string;
  readonly link: string;
  readonly code: string;
  readonly tag: string;
  readonly live: string;
}

export const COLOURS: Readonly<Record<Theme, Colours>> = {
  light: {
    back: '#ffffff',
    card: '#f3f5f7',
    edge: '#d0d7de',
    ink: '#1f2328',
    quiet: '#656d76',
    link: '#0969da',
    code: '#9a3c00',
    tag: '#0e6e66',
    live: '#1a9f4b',
  },
  dark: {
    back: '#151b23',
    card: '#212a35',
    edge: '#3d444d',
    ink: '#eef2f6',
    quiet: '#9aa5b1',
    link: '#6cb0ff',
    code: '#ffb27a',
    tag: '#12897f',
    live: '#3fd07a',
  },
};

export const styleOf = (colours: Colours): string =>
  `text{font-family:-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",Arial,sans-serif;fill:${colours.ink}}` +
  `.body{font-size:${SIZE}px}.small{font-size:${SMALL_SIZE}px;fill:${colours.quiet}}.bold,.strong{font-weight:600}` +
  `.small.strong{fill:${colours.ink}}.partial{fill:${colours.quiet};font-style:italic}` +
  `.code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;fill:${colours.code};font-size:.92em}` +
  `.link{fill:${colours.link}}.heading{font-size:27px;font-weight:700}.channel{font-size:21px;font-weight:600;fill:${colours.quiet}}` +
  `.initial{fill:#fff;font-weight:600;text-anchor:middle}.icon{color:${colours.quiet}}.rule{stroke:${colours.edge};fill:none}.card{fill:${colours.card}}` +
  `.changed{fill:${colours.live};fill-opacity:.22}.live{fill:none;stroke:${colours.live};stroke-width:4}.tag{fill:${colours.tag}}.app{font-size:15px;font-weight:600;fill:#fff;text-anchor:middle}` +
  `.button{fill:${colours.card};stroke:${colours.edge}}`;
