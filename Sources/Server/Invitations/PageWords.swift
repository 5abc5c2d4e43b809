/// What the pages say in a language. The texts go into HTML as they are: no `<`, `&` or `"`.
struct PageWords {
  /// The words of one page.
  struct Page {
    let title: String
    let heading: String
    let lead: String
    let privacy: String
  }

  let invitation: Page
  let unknown: Page
  let unavailable: Page

  /// The button that leads to the app.
  let getApp: String
  /// The same where there is no invitation.
  let seeApp: String
  /// Instead of the button, where no address is configured.
  let findApp: String
  /// The link that the app opens.
  let openInApp: String
  /// What that link does, and what to do where the browser keeps it to itself.
  let hint: String
  /// The button that asks again.
  let tryAgain: String

  init(_ language: PageLanguage) {
    switch language {
    case .english:
      invitation = Page(
        title: "You’re invited to OSGKeyboard", heading: "A friend has invited you",
        lead: "A keyboard for iPhone: type in Chinese and English, speak instead of typing, and let AI polish your "
          + "words.",
        privacy: "This page keeps nothing about you. It only counts how many invitations are opened each day.")
      unknown = Page(
        title: "This invitation doesn’t work", heading: "This invitation doesn’t work",
        lead: "The link may be incomplete, or the invitation has been withdrawn. Ask your friend to send it again.",
        privacy: "This page keeps nothing about you, and this visit isn’t counted.")
      unavailable = Page(
        title: "One moment, please", heading: "One moment, please",
        lead: "Invitations can’t be opened right now. Please try again in a minute.",
        privacy: "This page keeps nothing about you, and this visit isn’t counted.")
      getApp = "Get it on the App Store"
      seeApp = "See the app on the App Store"
      findApp = "Look for OSGKeyboard in the App Store."
      openInApp = "Open it in the app"
      hint =
        "Once the app is installed, this link opens it. If you see this page again instead, touch and hold the link "
        + "and choose “Open in OSGKeyboard”."
      tryAgain = "Try again"
    case .simplifiedChinese:
      invitation = Page(
        title: "邀请你使用 OSGKeyboard", heading: "朋友邀请你一起用",
        lead: "一款 iPhone 键盘：输入中文和英文，用说话代替打字，还能让 AI 帮你润色文字。",
        privacy: "本页不留存你的任何信息，只统计每天有多少次邀请被打开。")
      unknown = Page(
        title: "这个邀请无法使用", heading: "这个邀请无法使用",
        lead: "链接可能不完整，或者邀请已被撤回。请让朋友再发一次。",
        privacy: "本页不留存你的任何信息，这次访问也不计入统计。")
      unavailable = Page(
        title: "请稍等片刻", heading: "请稍等片刻",
        lead: "现在暂时无法打开邀请，请过一分钟再试。",
        privacy: "本页不留存你的任何信息，这次访问也不计入统计。")
      getApp = "前往 App Store 下载"
      seeApp = "在 App Store 查看"
      findApp = "请在 App Store 搜索 OSGKeyboard。"
      openInApp = "在 App 中打开邀请"
      hint = "安装 App 后，点此链接即可直接打开。如果又回到本页，请长按链接，选择“在 OSGKeyboard 中打开”。"
      tryAgain = "再试一次"
    }
  }
}
