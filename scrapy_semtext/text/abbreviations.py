"""Abbreviations and compounds in class and id names, with the words they stand for (Zhang & Wang 2022, III-B).

Found by counting on how many of 2,100 pages (articles, forums, shops, documentation, question sites) each part of a
class or id name occurs, and by looking at the names it occurs in. Only parts that mean one thing wherever they were
seen are listed: ``sb`` (sidebar, button size, a hash), ``opt`` (option, opt in), ``rec`` (recommended, rectangle),
``int``, ``pub``, ``mod`` and the like stay as they are, and so do brands: the model learns what ``taboola`` is. A
plural is listed with its singular even where only one of them was seen.
"""

from __future__ import annotations

_ABBREVIATIONS = """
    abbr abbreviation
    acct account
    addr address
    admin administrator
    ads advertisements
    ad advertisement
    adv advertisement
    advert advertisement
    adverts advertisements
    aff affiliate
    alt alternative
    anim animation
    anon anonymous
    app application
    apps applications
    arw arrow
    attr attribute
    attrs attributes
    atf above fold
    auth authentication
    avg average
    bg background
    bgd background
    bgcolor background color
    bio biography
    bkg background
    blk block
    btf below fold
    btm bottom
    btn button
    btns buttons
    calc calculation
    cat category
    cats categories
    cfg configuration
    char character
    chk check
    cmd command
    cmnt comment
    cmnts comments
    cmt comment
    cmts comments
    cnt count
    cntr container
    cntnt content
    col column
    cols columns
    colour color
    comp component
    config configuration
    cont content
    cta call action
    ctas call action
    ctn container
    ctnr container
    ctrl control
    ctrls controls
    ctx context
    curr current
    dek subtitle
    desc description
    descr description
    dev development
    disp display
    div division
    divs division
    dlg dialog
    doc document
    docs documents
    dsk desktop
    dyn dynamic
    elem element
    elems elements
    elt element
    err error
    fav favorite
    favs favorites
    faq frequent questions
    faqs frequent questions
    fld field
    flds fields
    frm form
    ftr footer
    gnav global navigation
    grp group
    hdg heading
    hdr header
    hed headline
    horiz horizontal
    icn icon
    ico icon
    idx index
    img image
    imgs images
    info information
    infos information
    intro introduction
    js javascript
    lang language
    langs languages
    lbl label
    lede lead
    len length
    lft left
    lg large
    lhs left side
    lib library
    lnk link
    lnks links
    loc location
    lst list
    lvl level
    max maximum
    med medium
    meta metadata
    mgr manager
    min minimum
    misc miscellaneous
    mnu menu
    mob mobile
    mods modules
    mpu advertisement
    msg message
    msgs messages
    nav navigation
    navi navigation
    navs navigation
    neg negative
    nojs no javascript
    notif notification
    notifs notifications
    num number
    nums numbers
    nxt next
    obj object
    opts options
    orig original
    pag pagination
    paras paragraphs
    pct percent
    pgn pagination
    pic picture
    pics pictures
    pnl panel
    pref preference
    prefs preferences
    prev previous
    prod product
    prods products
    promo promotion
    promos promotions
    pwd password
    qty quantity
    recirc recirculation
    recs recommended
    rect rectangle
    ref reference
    refs references
    rgt right
    rhs right side
    scr screen
    sec section
    secs sections
    sect section
    sel select
    sep separator
    sidenav side navigation
    sig signature
    spec specification
    specs specifications
    sponsor sponsored
    src source
    stats statistics
    std standard
    subj subject
    subs subscribe
    svc service
    svcs services
    sm small
    sr screen reader
    srch search
    tbl table
    tel telephone
    thumb thumbnail
    thumbs thumbnails
    tmpl template
    toc table contents
    tpl template
    txt text
    typ type
    unauth not authenticated
    upd update
    usr user
    util utility
    utils utilities
    val value
    vals values
    var variable
    vars variables
    vert vertical
    vid video
    vids videos
    wdgt widget
    wp wordpress
    wrap wrapper
    wraper wrapper
    wrp wrapper
    xl extra large
    xlarge extra large
    xs extra small
    xsmall extra small
    xxl extra large
    xxs extra small
    md medium
    yt youtube
    ytd youtube
    ugc user content
    ui user interface
    ux user experience
    i18n internationalization
    l10n localization
    a11y accessibility
    dfp advertisement
    adslot advertisement slot
    adslots advertisement slots
    adunit advertisement unit
    adbox advertisement box
    optin opt in
    optout opt out
    breadcrumbs breadcrumb
    crumb breadcrumb
    crumbs breadcrumb
    pager pagination
    hentry entry
    hfeed feed
    vcard contact card
    hcard contact card
"""

# Words written together. Common English compounds (dropdown, sidebar, headline, copyright) are one word and stay so.
_COMPOUNDS = """
    aligncenter align center
    alignfull align full
    alignleft align left
    alignnone align none
    alignright align right
    alignwide align wide
    badgecount badge count
    basicpage basic page
    blockquote block quotation
    bodytext body text
    clearfix clear fix
    codeblock code block
    commentform comment form
    commentlist comment list
    contentarea content area
    contentwrapper content wrapper
    copylink copy link
    dateline date line
    datetime date time
    footerwrap footer wrapper
    fullscreen full screen
    fullwidth full width
    globalheader global header
    headerbar header bar
    headerlink header link
    infobox information box
    inputbox input box
    jumpbox jump box
    leftcol left column
    leftnav left navigation
    linklist link list
    localmenu local menu
    mainbar main bar
    maincontent main content
    mainmenu main menu
    mainnav main navigation
    maintitle main title
    megamenu mega menu
    menuitem menu item
    menuitems menu items
    minicart mini cart
    mobilenav mobile navigation
    navbar navigation bar
    navbox navigation box
    navgroup navigation group
    navicon navigation icon
    navlink navigation link
    navlinks navigation links
    navlist navigation list
    navmenu navigation menu
    noprint no print
    noscript no script
    offcanvas off canvas
    offscreen off screen
    pagecontent page content
    pageheader page header
    pagetitle page title
    postbody post body
    postcontent post content
    postcount post count
    postdate post date
    postdetails post details
    postid post identifier
    postinfo post information
    postlink post link
    postlist post list
    postmetadata post metadata
    postprofile post profile
    posttitle post title
    pulldown pull down
    pullquote pull quotation
    readmore read more
    relatedposts related posts
    relativetime relative time
    richtext rich text
    rightcol right column
    rightrail right rail
    rightside right side
    screenreader screen reader
    searchbar search bar
    searchbox search box
    searchfield search field
    searchform search form
    searchresults search results
    searchsubmit search submit
    sharebar share bar
    sidebarwidget sidebar widget
    sidemenu side menu
    sidepanel side panel
    signin sign in
    signout sign out
    signup sign up
    skiplink skip link
    skiplinks skip links
    slideout slide out
    slideshow slide show
    subcategory sub category
    subfooter sub footer
    subhead sub heading
    subheader sub header
    subheading sub heading
    subheadline sub headline
    subitem sub item
    sublabel sub label
    sublink sub link
    sublist sub list
    submenu sub menu
    subnav sub navigation
    subsection sub section
    subtext sub text
    tabpanel tab panel
    tabcontent tab content
    taglist tag list
    textarea text area
    textblock text block
    textbox text box
    textfield text field
    textwidget text widget
    titlebar title bar
    topbar top bar
    topmenu top menu
    topnav top navigation
    userinfo user information
    username user name
    usertitle user title
    visuallyhidden visually hidden
    widgettitle widget title
"""

# Utility classes of Tailwind, Bootstrap and their kind, told by the measure that follows: "mb-4", "px16", "w-full".
# Their first letters mean too much elsewhere to be expanded on their own.
_UTILITIES = """
    m margin
    mt margin top
    mb margin bottom
    ml margin left
    mr margin right
    ms margin start
    me margin end
    mx margin horizontal
    my margin vertical
    p padding
    pt padding top
    pb padding bottom
    pl padding left
    pr padding right
    ps padding start
    pe padding end
    px padding horizontal
    py padding vertical
    w width
    h height
    z layer
"""


def _table(text: str) -> dict[str, tuple[str, ...]]:
    lines = (line.split() for line in text.splitlines())
    return {line[0]: tuple(line[1:]) for line in lines if line}


#: Part of a name, in lower case -> its words.
ABBREVIATIONS: dict[str, tuple[str, ...]] = _table(_ABBREVIATIONS) | _table(_COMPOUNDS)

#: The same for parts that only have this meaning in front of a measure.
UTILITIES: dict[str, tuple[str, ...]] = _table(_UTILITIES)
