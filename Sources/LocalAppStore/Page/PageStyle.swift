extension StorePage {
    /// How it looks: light and dark, narrow and wide.
    static let style = #"""
        :root {
          color-scheme: light dark;
          --paper: #f6f7f6; --card: #ffffff; --ink: #1b211f; --soft: #5a6662; --line: #d9dfdc;
          --strong: #1f6f5c; --strong-ink: #ffffff; --press: #e9efec;
          --good: #1c6b45; --good-back: #ddf1e5; --warn: #7a4d00; --warn-back: #fdeecb;
          --bad: #a12626; --bad-back: #fbe2e0; --plain-back: #e6eae8; --told: #3d5a99;
          --focus: #2563c9;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --paper: #131715; --card: #1b211f; --ink: #e7ecea; --soft: #9daaa5; --line: #333c38;
            --strong: #5cc4a5; --strong-ink: #08201a; --press: #27302c;
            --good: #7fd6a6; --good-back: #173526; --warn: #f1c470; --warn-back: #3a2c0c;
            --bad: #f3a09a; --bad-back: #431c1a; --plain-back: #2a322f; --told: #9ab4ee;
            --focus: #7fb0ff;
          }
        }
        * { box-sizing: border-box; }
        html { scroll-padding-top: 1rem; }
        body {
          margin: 0; background: var(--paper); color: var(--ink);
          font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC",
            "Microsoft YaHei", "Noto Sans CJK SC", sans-serif;
          overflow-y: scroll;
        }
        h1, h2, h3, h4, p, ul, ol, dl, fieldset { margin: 0; padding: 0; border: 0; }
        h1 { font-size: 1.15rem; line-height: 1.3; }
        h2 { font-size: 1.05rem; margin: 1.5rem 0 .35rem; }
        h3 { font-size: 1rem; }
        h4 { font-size: .85rem; color: var(--soft); font-weight: 600; }
        code, pre { font: .86em/1.45 ui-monospace, "SF Mono", Menlo, "DejaVu Sans Mono", monospace; }
        code { overflow-wrap: anywhere; }
        small { font-size: .82rem; color: var(--soft); font-weight: 400; }
        a { color: var(--strong); }
        [hidden] { display: none !important; }
        :focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px; }
        .away { position: fixed; left: -200vw; }
        .skip { position: absolute; left: -200vw; }
        .skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .4rem .8rem; z-index: 5; }
        .hint { color: var(--soft); font-size: .9rem; }

        header { background: var(--card); border-bottom: 1px solid var(--line); }
        header > * { max-width: 1400px; margin: 0 auto; padding: .6rem 1rem; }
        #head { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; justify-content: space-between; }
        #head .name p { color: var(--soft); font-size: .9rem; }
        .clock {
          display: grid; grid-template-columns: minmax(11rem, auto) 1fr; gap: .25rem 1.75rem;
          align-items: center; min-height: 5.5rem;
        }
        .clock time { font-size: 2.1rem; line-height: 1.1; font-variant-numeric: tabular-nums; }
        .clock .time p { color: var(--soft); font-size: .9rem; }
        .clockwork { display: grid; gap: .5rem; }
        #banner { padding-top: 0; padding-bottom: 0; }
        .banner {
          display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: space-between;
          align-items: center; padding: .55rem .8rem; border-radius: 8px; margin-bottom: .6rem;
        }
        .banner > p { flex: 1 1 14rem; }
        .banner.warn { background: var(--warn-back); color: var(--warn); }
        .banner.bad { background: var(--bad-back); color: var(--bad); }

        nav { display: flex; gap: .25rem; overflow-x: auto; padding-bottom: 0; scrollbar-width: none; }
        nav a {
          flex: none; padding: .55rem .8rem; color: var(--soft); text-decoration: none;
          border-bottom: 3px solid transparent; white-space: nowrap;
        }
        nav a:hover { color: var(--ink); }
        nav a[aria-current] { color: var(--ink); border-color: var(--strong); font-weight: 600; }
        nav a:focus-visible { outline-offset: -3px; }
        .count {
          background: var(--warn-back); color: var(--warn); border-radius: 99px; padding: 0 .45rem;
          margin-left: .35rem; font-size: .8rem; font-weight: 600;
        }

        .page { max-width: 1400px; margin: 0 auto; padding: 0 1rem 6rem; }
        main { outline: none; min-width: 0; padding-top: 1rem; }
        aside { display: none; min-width: 0; }
        @media (min-width: 1100px) {
          .page { display: grid; grid-template-columns: minmax(0, 1fr) 24rem; gap: 2rem; }
          aside {
            display: block; position: sticky; top: 0; max-height: 100vh; overflow-y: auto;
            align-self: start; padding-bottom: 1rem;
          }
          .alone .page { grid-template-columns: minmax(0, 1fr); }
          .alone aside { display: none; }
        }

        button, select, input, textarea { font: inherit; color: inherit; }
        button, select, input:not([type="checkbox"], [type="radio"]) {
          min-height: 2.35rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card);
          padding: .3rem .75rem; max-width: 100%;
        }
        input:not([type="checkbox"], [type="radio"]), select { width: 100%; border-color: var(--soft); }
        button { cursor: pointer; }
        button:hover:not(:disabled, [aria-disabled="true"]) { background: var(--press); }
        button:disabled, button[aria-disabled="true"] { opacity: .5; cursor: default; }
        button.strong {
          background: var(--strong); color: var(--strong-ink); border-color: var(--strong);
          font-weight: 600;
        }
        button.strong:hover:not(:disabled) { background: var(--strong); filter: brightness(1.1); }
        button.quiet { border-color: transparent; background: none; color: var(--strong); }
        button.danger { color: var(--bad); }
        input[type="checkbox"], input[type="radio"] {
          width: 1.15rem; height: 1.15rem; flex: none; accent-color: var(--strong); margin: .2rem 0 0;
        }
        .actions { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; }
        .actions.end { justify-content: flex-end; margin-top: 1rem; }
        .actions.spaced { margin-top: 1.25rem; }
        .choice { display: flex; border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
        .choice button { border: 0; border-radius: 0; }
        .choice button[aria-pressed="true"] {
          background: var(--strong); color: var(--strong-ink); font-weight: 600;
        }
        .choice button:focus-visible { outline-offset: -4px; }
        .bar { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; }
        .bar select { width: auto; min-width: 9rem; }
        .chip {
          display: inline-block; border-radius: 99px; padding: .05rem .6rem; font-size: .82rem;
          background: var(--plain-back); color: var(--ink); font-weight: 500;
        }
        .chip.good { background: var(--good-back); color: var(--good); }
        .chip.warn { background: var(--warn-back); color: var(--warn); }
        .chip.bad { background: var(--bad-back); color: var(--bad); }
        .problem { color: var(--bad); font-size: .92rem; margin-top: .4rem; overflow-wrap: anywhere; }
        .empty {
          color: var(--soft); border: 1px dashed var(--line); border-radius: 10px;
          padding: 1rem; margin: .5rem 0;
        }
        .steps {
          background: var(--good-back); border-radius: 10px; padding: .8rem 1rem .8rem 2.2rem;
          margin-bottom: 1rem;
        }

        .cards {
          display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 16rem), 1fr));
          gap: .75rem; margin-top: .6rem;
        }
        .cards.wide { grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); }
        .card {
          background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1rem;
          display: flex; flex-direction: column; gap: .35rem; min-width: 0;
        }
        .card h2 { margin: 0; }
        .card > .actions { margin-top: auto; padding-top: .5rem; }
        .group-name { margin-top: .9rem; color: var(--soft); font-size: .9rem; }
        .price { font-size: 1.25rem; font-variant-numeric: tabular-nums; }
        .columns { columns: 21rem; column-gap: 1rem; margin-top: .75rem; }
        .columns > .card { break-inside: avoid; margin-bottom: 1rem; }
        .halves {
          display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 2rem;
        }
        .halves > section { min-width: 0; }
        .target .long { overflow-wrap: anywhere; }

        .switches { display: grid; gap: .55rem; margin: .4rem 0; }
        .switch, .check { display: flex; gap: .6rem; align-items: flex-start; cursor: pointer; }
        .switch small, .check small { display: block; }
        .switch input {
          appearance: none; width: 2.3rem; height: 1.3rem; border-radius: 99px; margin-top: .15rem;
          background: var(--soft); position: relative; cursor: pointer;
        }
        .switch input::before {
          content: ""; position: absolute; inset: .15rem auto .15rem .15rem; width: 1rem;
          border-radius: 50%; background: var(--card);
        }
        .switch input:checked { background: var(--strong); }
        .switch input:checked::before { left: 1.15rem; }
        @media (prefers-reduced-motion: no-preference) {
          .switch input::before { transition: left .12s; }
        }

        .rows { list-style: none; display: grid; gap: .5rem; margin-top: .5rem; }
        .row {
          background: var(--card); border: 1px solid var(--line); border-radius: 12px;
          padding: .7rem 1rem; display: flex; flex-wrap: wrap; gap: .4rem 1rem;
          justify-content: space-between; align-items: center; min-width: 0;
        }
        .row > div:first-child { flex: 1 1 16rem; min-width: 0; }
        .row > .attempts, .row > .signed, .row > .life, .row > .problem { flex: 1 0 100%; min-width: 0; }
        .row:has(> .opener) { padding: 0; }
        .opener {
          flex: 1 0 100%; display: grid; grid-template-columns: 1fr auto; gap: .1rem 1rem;
          text-align: left; border: 0; background: none; padding: .7rem 1rem; border-radius: 12px;
        }
        .opener .what { display: flex; flex-wrap: wrap; gap: .2rem .6rem; align-items: center; }
        .opener .hint { grid-column: 1 / -1; }
        .opener .sum { font-variant-numeric: tabular-nums; }
        .row.open { border-color: var(--strong); }
        .life { padding: 0 1rem 1rem; display: grid; gap: .6rem; }
        .life h3 { margin-top: .6rem; }
        .group { display: grid; gap: .3rem; }

        .timeline { list-style: none; border-left: 2px solid var(--line); margin: .3rem 0 .3rem .4rem; }
        .timeline li {
          position: relative; padding: .15rem 0 .45rem 1rem; display: grid;
          grid-template-columns: 12.5rem 1fr; gap: 0 .75rem;
        }
        .timeline li::before {
          content: ""; position: absolute; left: -.42rem; top: .5rem; width: .7rem; height: .7rem;
          border-radius: 50%; background: var(--soft);
        }
        .timeline li.good::before { background: var(--good); }
        .timeline li.warn::before { background: var(--warn); }
        .timeline li.bad::before { background: var(--bad); }
        .timeline li.told::before { background: var(--card); border: 2px solid var(--told); }
        .timeline time { color: var(--soft); font-size: .88rem; font-variant-numeric: tabular-nums; }
        .timeline span small { display: block; overflow-wrap: anywhere; }
        .timeline.small li { grid-template-columns: 1fr; }
        @media (max-width: 640px) { .timeline li { grid-template-columns: 1fr; } }

        .calls { list-style: none; display: grid; gap: .3rem; }
        .calls details { border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
        .calls details .signed, .calls details p { padding: 0 .7rem .6rem; }
        .call {
          display: flex; flex-wrap: wrap; gap: .1rem .5rem; align-items: baseline; font-size: .88rem;
          padding: .3rem .6rem;
        }
        aside .call { padding: .3rem 0; border-bottom: 1px solid var(--line); }
        aside .call code { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
        .call .rest { display: flex; flex-wrap: wrap; gap: .1rem .6rem; }
        aside .call .rest { flex: 1 0 100%; padding-left: 1.25rem; }
        .call code { flex: 1 1 8rem; min-width: 0; }
        .way { color: var(--soft); }
        summary { cursor: pointer; }
        details > summary { padding: .3rem 0; }

        .signed { display: grid; gap: .4rem; margin-top: .4rem; min-width: 0; }
        pre {
          margin: 0; background: var(--paper); border: 1px solid var(--line); border-radius: 8px;
          padding: .6rem .75rem; overflow: auto; max-height: 20rem; white-space: pre-wrap;
          overflow-wrap: anywhere;
        }
        pre.long { max-height: 6.5rem; }
        .facts { display: grid; grid-template-columns: auto 1fr; gap: .1rem 1rem; font-size: .9rem; }
        .facts dt { color: var(--soft); }
        .facts dd { margin: 0; overflow-wrap: anywhere; }
        .known {
          display: grid; grid-template-columns: 1fr auto; gap: 0 .5rem; align-items: center;
          border-top: 1px solid var(--line); padding-top: .3rem;
        }
        .known span { font-size: .85rem; color: var(--soft); grid-column: 1; }
        .known code { grid-column: 1; }
        .known button { grid-column: 2; grid-row: 1 / 3; }
        .attempts { padding-left: 1.2rem; font-size: .9rem; color: var(--soft); }
        .attempts strong { color: var(--ink); font-weight: 500; }

        dialog {
          border: 1px solid var(--line); border-radius: 14px; padding: 0; background: var(--card);
          color: var(--ink); width: min(34rem, calc(100vw - 1.5rem)); max-height: calc(100vh - 2rem);
        }
        dialog::backdrop { background: rgb(0 0 0 / .45); }
        dialog form, dialog .form { padding: 1.1rem 1.25rem; display: grid; gap: .8rem; }
        dialog h2 { margin: 0; }
        .field { display: grid; gap: .25rem; }
        .field.across { grid-template-columns: 1fr 11rem; align-items: center; gap: .5rem; }
        .field label, legend { font-weight: 500; }
        .field .check, .field.across label { font-weight: 400; }
        legend { margin-bottom: .25rem; }
        fieldset { display: grid; gap: .3rem; }
        .beside { display: flex; gap: .5rem; }
        .beside button { flex: none; }
        #messages {
          position: fixed; left: 50%; bottom: 1rem; transform: translateX(-50%); display: grid; gap: .5rem;
          width: min(36rem, calc(100vw - 2rem)); z-index: 10; pointer-events: none;
        }
        .message {
          background: var(--ink); color: var(--paper); border-radius: 10px; padding: .6rem 1rem;
          overflow-wrap: anywhere; box-shadow: 0 4px 16px rgb(0 0 0 / .25);
        }
        .message.bad { background: var(--bad); }
        @media (max-width: 560px) {
          .clock { grid-template-columns: 1fr; }
          .clockwork { min-width: 0; }
          .clockwork .actions { flex-wrap: nowrap; overflow-x: auto; padding: 4px; margin: -4px; }
          .clockwork .actions button { flex: none; }
          .clockwork .actions + .problem { order: 3; }
          .field.across { grid-template-columns: 1fr; }
          .page { padding: 0 .75rem 6rem; }
          header > * { padding-left: .75rem; padding-right: .75rem; }
        }
        """#
}
