extension InvitationPages {
  /// The product's sign: what is said, above a space bar.
  static let symbol = """
    <svg class="symbol" viewBox="0 0 64 64" width="72" height="72" aria-hidden="true"><defs>\
    <linearGradient id="g" x1="0" y1="0" x2="1" y2="1"><stop stop-color="#7177f8"/>\
    <stop offset="1" stop-color="#3440c4"/></linearGradient></defs>\
    <rect width="64" height="64" rx="15" fill="url(#g)"/>\
    <path d="M15 25v8M23.5 19v20M32 14v30M40.5 19v20M49 25v8" stroke="#fff" stroke-width="4.5" \
    stroke-linecap="round"/><path d="M20 52h24" stroke="#fff" stroke-opacity=".75" stroke-width="4.5" \
    stroke-linecap="round"/></svg>
    """

  /// The style sheet. The colours' contrast is that of WCAG 2.2, level AA, in both schemes.
  static let style = """
    :root{color-scheme:light dark;--ground:#eef0fa;--glow:#dfe2fb;--card:#fff;--text:#1b1d2a;--soft:#565a70;\
    --accent:#4248d8;--on:#fff;--line:#e2e4f1}
    @media(prefers-color-scheme:dark){:root{--ground:#0e0f17;--glow:#20234a;--card:#191b27;--text:#f0f1f8;\
    --soft:#a9adc2;--accent:#a3a8ff;--on:#12143a;--line:#2b2e40}}
    *{box-sizing:border-box;margin:0}
    html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
    body{min-height:100vh;min-height:100svh;display:flex;flex-direction:column;align-items:center;\
    justify-content:center;gap:20px;padding:max(24px,env(safe-area-inset-top)) 20px \
    max(24px,env(safe-area-inset-bottom));background:radial-gradient(60rem 32rem at 50% -6rem,var(--glow),transparent) \
    no-repeat var(--ground);color:var(--text);font:17px/1.55 -apple-system,BlinkMacSystemFont,"PingFang SC",\
    "Segoe UI",Roboto,"Noto Sans SC","Microsoft YaHei",sans-serif;overflow-wrap:break-word}
    main{width:100%;max-width:27rem;padding:40px 28px 30px;text-align:center;background:var(--card);\
    border:1px solid var(--line);border-radius:28px;box-shadow:0 1px 2px #1b1d2a0d,0 18px 48px #1b1d2a14}
    .symbol{display:block;margin:0 auto 14px}
    .name{color:var(--soft);font-size:15px;font-weight:600;letter-spacing:.01em}
    h1{margin:10px 0;font-size:28px;line-height:1.25;font-weight:700;letter-spacing:-.01em;text-wrap:balance}
    .lead{color:var(--soft);text-wrap:pretty}
    .button{display:block;margin-top:26px;padding:14px 20px;border-radius:16px;background:var(--accent);\
    color:var(--on);font-weight:600;text-decoration:none}
    .note{margin-top:26px;font-weight:600}
    .link{display:inline-block;margin-top:10px;padding:10px 12px;border-radius:12px;color:var(--accent);\
    font-weight:600;text-underline-offset:.2em;text-decoration-thickness:1px}
    .hint{margin-top:4px;color:var(--soft);font-size:14px;line-height:1.5;text-wrap:pretty}
    footer{max-width:27rem;color:var(--soft);font-size:13px;line-height:1.5;text-align:center;text-wrap:balance}
    a:hover{filter:brightness(1.08)}
    :focus-visible{outline:3px solid var(--accent);outline-offset:3px}
    @media(prefers-reduced-motion:no-preference){main{animation:rise .5s cubic-bezier(.2,.7,.3,1)}\
    @keyframes rise{from{transform:translateY(10px)}}a{transition:filter .15s}}
    @media(max-width:22rem){main{padding:32px 20px 26px}h1{font-size:25px}}

    """
}
